if(TARGET cachescape_distance)
  cachescape_bench(stack_distance cachescape_distance)
endif()
