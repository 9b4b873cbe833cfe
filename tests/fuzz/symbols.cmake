cachescape_fuzz(symbols cachescape_symbols)
if(TARGET cachescape_qemu_parts)
  cachescape_fuzz(allocator_symbols cachescape_qemu_parts)
endif()
