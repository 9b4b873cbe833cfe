! Calipers for Fortran programs that cachescape observes; see mark.h. Compile it with the program, by cachescape fortran.
module cachescape_mark
  use, intrinsic :: iso_c_binding, only: c_char, c_null_char
  implicit none
  interface
    subroutine cachescape_on() bind(c, name="cachescape_mark_on")
    end subroutine
    subroutine cachescape_off() bind(c, name="cachescape_mark_off")
    end subroutine
    subroutine mark_begin(tag) bind(c, name="cachescape_mark_begin")
      import :: c_char
      character(kind=c_char), intent(in) :: tag(*)
    end subroutine
    subroutine mark_end(tag) bind(c, name="cachescape_mark_end")
      import :: c_char
      character(kind=c_char), intent(in) :: tag(*)
    end subroutine
  end interface
contains
  subroutine cachescape_begin_region(tag)
    character(len=*), intent(in) :: tag
    call mark_begin(tag // c_null_char)
  end subroutine
  subroutine cachescape_end_region(tag)
    character(len=*), intent(in) :: tag
    call mark_end(tag // c_null_char)
  end subroutine
end module
