/* How a process that is to become the collector of another one's session leaves that one behind. */
#ifndef CACHESCAPE_SESSION_DETACH_H
#define CACHESCAPE_SESSION_DETACH_H

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* The collector finds the session as its file 3; `alive`, file 4, is open as long as it lives. Needs _GNU_SOURCE; does
 * only what is safe after a fork. */
static inline void cachescape_detach(int session, int alive) {
  setsid();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  for (int n = 1; n < 32; ++n) signal(n, SIG_DFL);
  /* The program's own output must end when the program ends. */
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, 0);
  dup2(nothing, 1);
  if (fcntl(2, F_GETFD) < 0) dup2(nothing, 2);
  /* Both out of the way of the numbers that they get. */
  session = fcntl(session, F_DUPFD, 5);
  alive = fcntl(alive, F_DUPFD, 5);
  dup2(session, 3);
  dup2(alive, 4);
  close_range(5, ~0U, 0);
}

#endif
