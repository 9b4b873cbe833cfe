/* Two threads write one word by turns. */
#include "../../../examples/ping_pong.c"
