! Calipers for Fortran programs that cachescape observes; see mark.h. Compile it with the program, by any compiler: the
! calls do nothing where the program is not observed. They are looked up when the program runs, which one that is
! linked statically cannot do.
module cachescape_mark
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_procpointer, c_funptr, c_null_char, c_null_funptr, &
                                         c_null_ptr, c_ptr
  implicit none
  private
  public :: cachescape_on, cachescape_off, cachescape_begin_region, cachescape_end_region

  abstract interface
    subroutine switch() bind(c)
    end subroutine
    subroutine mark(tag) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: tag(*)
    end subroutine
  end interface
  interface
    function dlsym(handle, name) bind(c, name="dlsym") result(symbol)
      import :: c_char, c_funptr, c_ptr
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: symbol
    end function
  end interface

  logical, save :: looked_up = .false.
  type(c_funptr), save :: mark_on = c_null_funptr, mark_off = c_null_funptr
  type(c_funptr), save :: mark_begin = c_null_funptr, mark_end = c_null_funptr
contains
  subroutine look_up()
    if (looked_up) return
    mark_on = dlsym(c_null_ptr, "cachescape_mark_on" // c_null_char)
    mark_off = dlsym(c_null_ptr, "cachescape_mark_off" // c_null_char)
    mark_begin = dlsym(c_null_ptr, "cachescape_mark_begin" // c_null_char)
    mark_end = dlsym(c_null_ptr, "cachescape_mark_end" // c_null_char)
    looked_up = .true.
  end subroutine
  subroutine call_switch(symbol)
    type(c_funptr), intent(in) :: symbol
    procedure(switch), pointer :: found
    if (.not. c_associated(symbol)) return
    call c_f_procpointer(symbol, found)
    call found()
  end subroutine
  subroutine call_mark(symbol, tag)
    type(c_funptr), intent(in) :: symbol
    character(len=*), intent(in) :: tag
    procedure(mark), pointer :: found
    if (.not. c_associated(symbol)) return
    call c_f_procpointer(symbol, found)
    call found(tag // c_null_char)
  end subroutine

  subroutine cachescape_on()
    call look_up()
    call call_switch(mark_on)
  end subroutine
  subroutine cachescape_off()
    call look_up()
    call call_switch(mark_off)
  end subroutine
  subroutine cachescape_begin_region(tag)
    character(len=*), intent(in) :: tag
    call look_up()
    call call_mark(mark_begin, tag)
  end subroutine
  subroutine cachescape_end_region(tag)
    character(len=*), intent(in) :: tag
    call look_up()
    call call_mark(mark_end, tag)
  end subroutine
end module
