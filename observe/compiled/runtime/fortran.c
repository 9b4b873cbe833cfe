/* What flang's variables with descriptors tell of themselves: the beginning of ISO_Fortran_binding.h's CFI_cdesc_t. */
#include "observe/compiled/runtime/runtime.h"

struct dimension {
  int64_t lower_bound;
  int64_t extent;
  int64_t stride;
};
struct descriptor {
  const void* address;
  uint64_t element_bytes;
  int32_t version;
  uint8_t rank;
  uint8_t others[3];
  struct dimension dimensions[];
};

CACHESCAPE_EXPORT uint64_t cachescape_fortran_bytes_v1(const void* variable) {
  const struct descriptor* const d = variable;
  if (d->address == NULL) return 0;
  uint64_t bytes = d->element_bytes;
  for (unsigned i = 0; i < d->rank; ++i) bytes *= d->dimensions[i].extent > 0 ? (uint64_t)d->dimensions[i].extent : 0;
  return bytes;
}
