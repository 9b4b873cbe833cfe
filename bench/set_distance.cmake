if(TARGET cachescape_distance)
  cachescape_bench(set_distance cachescape_distance)
endif()
