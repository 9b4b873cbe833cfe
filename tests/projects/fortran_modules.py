"""A Fortran program of several files with modules, derived types and allocatable arrays."""
from project import FORTRAN, Project, main

PARTS = {
    "kinds.f90": """module kinds
  implicit none
  integer, parameter :: wp = kind(1.0d0)
end module
""",
    "fields.f90": """module fields
  use kinds
  implicit none
  type :: field
    integer :: n
    real(wp), allocatable :: now(:, :), next(:, :)
  end type
  real(wp) :: checks(50)
contains
  subroutine make(f, n)
    type(field), intent(out) :: f
    integer, intent(in) :: n
    f%n = n
    allocate (f%now(n, n), f%next(n, n))
    f%now = 0
    f%next = 0
    f%now(n / 2, n / 2) = 1000
  end subroutine
end module
""",
    "smooth.f90": """module smoothing
  use kinds
  use fields
  implicit none
contains
  subroutine smooth(f)
    type(field), intent(inout) :: f
    integer :: i, j
    do j = 2, f%n - 1
      do i = 2, f%n - 1
        f%next(i, j) = 0.25_wp * (f%now(i - 1, j) + f%now(i + 1, j) + f%now(i, j - 1) + f%now(i, j + 1))
      end do
    end do
    f%now = f%next
  end subroutine
end module
""",
    "main.f90": """program heat
  use fields
  use smoothing
  implicit none
  type(field) :: f
  integer :: step
  call make(f, 64)
  do step = 1, 50
    call smooth(f)
    checks(step) = f%now(32, 32)
  end do
  print '(3F12.6)', checks(1), checks(50), sum(f%now)
end program
""",
}


class Modules(Project):
    def test_modules(self):
        self.build_both(PARTS, "flang-new-19", FORTRAN, ["-O2", "-g"])
        self.same_output()
        rows = self.places("container", "out.cscape", "--top", "0")["places"]["rows"]
        smooth = [row for row in rows if "smooth" in row["name"]]
        self.assertTrue(smooth, rows)
        # Four neighbours are read and one value is written for each of 62 × 62 points and 50 steps; the copy goes by
        # itself, and what describes the arrays is read besides.
        points = 62 * 62 * 50
        self.assertGreaterEqual(sum(row["writes"] for row in smooth), points)
        self.assertGreaterEqual(sum(row["reads"] for row in smooth), 2 * points)
        self.assertLess(sum(row["accesses"] for row in rows), 12 * points)


if __name__ == "__main__":
    main()
