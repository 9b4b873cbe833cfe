/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * System calls that Valgrind's headers for tools do not offer, and messages. */
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>
#include "observe/emulated/valgrind/tool.h"

/* Of Valgrind's core; its headers for tools leave them out. */
extern Int VG_(safe_fd)(Int file);
extern Int VG_(fcntl)(Int file, Int command, Addr argument);
extern SysRes VG_(am_shared_mmap_file_float_valgrind)(SizeT length, UInt protection, Int file, Off64T offset);
extern void VG_(discard_translations)(Addr begin, ULong bytes, const HChar* who);

void cs_translate_anew(Addr begin, ULong bytes) { VG_(discard_translations)(begin, bytes, "cachescape"); }

static Long system_call(ULong number, ULong a, ULong b, ULong c, ULong d) {
  register ULong r10 __asm__("r10") = d;
  Long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
  return result;
}

ULong cs_nanoseconds(void) {
  enum { monotonic = 1 };
  struct vki_timespec now = {0, 0};
  system_call(__NR_clock_gettime, monotonic, (Addr)&now, 0, 0);
  return (ULong)now.tv_sec * 1000000000ULL + (ULong)now.tv_nsec;
}

enum { futex_wait = 0, futex_wake = 1 };

void cs_wake(uint32_t* futex) { system_call(__NR_futex, (Addr)futex, futex_wake, 0x7fffffff, 0); }

void cs_wait(const uint32_t* futex, uint32_t value, UInt milliseconds) {
  const struct vki_timespec time = {milliseconds / 1000, (Long)(milliseconds % 1000) * 1000000};
  system_call(__NR_futex, (Addr)futex, futex_wait, value, (Addr)&time);
}

Bool cs_is_dead(UInt process) {
  enum { no_such_process = 3 };
  if (process == 0) return False;
  if (system_call(__NR_kill, process, 0, 0, 0) == -no_such_process) return True;
  /* It may be dead but not buried. */
  HChar path[32];
  VG_(sprintf)(path, "/proc/%u/stat", process);
  const SysRes file = VG_(open)(path, VKI_O_RDONLY, 0);
  if (sr_isError(file)) return False;
  HChar text[256];
  const Int bytes = VG_(read)((Int)sr_Res(file), text, sizeof text - 1);
  VG_(close)((Int)sr_Res(file));
  if (bytes <= 0) return False;
  text[bytes] = '\0';
  const HChar* const name_end = VG_(strrchr)(text, ')');
  return name_end != NULL && name_end[1] == ' ' && name_end[2] == 'Z';
}

Int cs_new_shared_file(ULong bytes) {
  const Long file = system_call(__NR_memfd_create, (Addr) "cachescape", 0, 0, 0);
  if (file < 0) return -1;
  if (system_call(__NR_ftruncate, (ULong)file, bytes, 0, 0) == 0) return VG_(safe_fd)((Int)file);
  VG_(close)((Int)file);
  return -1;
}

struct cachescape_session* cs_map(Int file, ULong bytes) {
  const SysRes memory = VG_(am_shared_mmap_file_float_valgrind)(bytes, VKI_PROT_READ | VKI_PROT_WRITE, file, 0);
  return sr_isError(memory) ? NULL : (struct cachescape_session*)sr_Res(memory);
}

/* In a process that was just forked: another program with only these two, as its files 3 and 4, the standard error, and
 * nothing on its other standard streams. Returns where that fails. */
void cs_become(const HChar* program, HChar** arguments, HChar** environment, Int third_file, Int fourth_file) {
  system_call(__NR_setsid, 0, 0, 0, 0);
  const ULong no_signals = 0;
  system_call(__NR_rt_sigprocmask, 2, (Addr)&no_signals, 0, sizeof no_signals);
  const SysRes nothing = VG_(open)("/dev/null", VKI_O_RDWR, 0);
  const Int third = VG_(safe_fd)(third_file);
  const Int fourth = VG_(safe_fd)(fourth_file);
  if (!sr_isError(nothing)) {
    VG_(dup2)((Int)sr_Res(nothing), 0);
    VG_(dup2)((Int)sr_Res(nothing), 1);
  }
  VG_(dup2)(third, 3);
  VG_(dup2)(fourth, 4);
  system_call(__NR_close_range, 5, ~0U, 0, 0);
  system_call(__NR_execve, (Addr)program, (Addr)arguments, (Addr)environment, 0);
}

/* Valgrind writes its log to a copy of the file that it has opened for it, and leaves that open for the program to
 * inherit. `cachescape record` has it opened /dev/zero, which nobody else opens for writing only. */
void cs_close_spare_log(void) {
  enum { first = 3, last = 1023 };
  for (Int file = first; file <= last; ++file) {
    HChar path[32], target[32];
    VG_(sprintf)(path, "/proc/self/fd/%d", file);
    const SSizeT length = VG_(readlink)(path, target, sizeof target - 1);
    if (length <= 0) continue;
    target[length] = '\0';
    if (VG_(strcmp)(target, "/dev/zero") == 0 && (VG_(fcntl)(file, VKI_F_GETFL, 0) & 3) == VKI_O_WRONLY)
      VG_(close)(file);
  }
}

/* Valgrind's own messages go elsewhere: ours keep the standard error that the program began with. */
static Int messages = -1;
void cs_keep_messages(void) {
  const SysRes copy = VG_(dup)(2);
  if (!sr_isError(copy)) messages = VG_(safe_fd)((Int)sr_Res(copy));
}

void cs_say(const HChar* first, const HChar* second) {
  HChar text[1024];
  const UInt bytes = VG_(snprintf)(text, sizeof text, "cachescape: %s%s\n", first, second);
  if (messages >= 0) VG_(write)(messages, text, (Int)(bytes < sizeof text ? bytes : sizeof text - 1));
}
