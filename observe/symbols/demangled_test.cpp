#include "observe/symbols/demangled.hpp"

#include <gtest/gtest.h>

namespace cachescape::symbols {
namespace {

TEST(SourceNames, OfCppAreWithTheirTypes) {
  EXPECT_EQ(demangled("_ZN5phase5beginEi"), "phase::begin(int)");
  EXPECT_EQ(demangled("_ZN5phase"), "_ZN5phase");
  EXPECT_EQ(demangled("main"), "main");
  EXPECT_EQ(demangled(""), "");
}

TEST(SourceNames, OfFortranAreWithTheirModulesAndHosts) {
  EXPECT_EQ(demangled("_QQmain"), "main program");
  EXPECT_EQ(demangled("_QPsolve"), "solve");
  EXPECT_EQ(demangled("_QMgridPstep_2"), "grid::step_2");
  EXPECT_EQ(demangled("_QMgridSdetailsPstep"), "grid::details::step");
  EXPECT_EQ(demangled("_QMgridFstepPinner"), "grid::step::inner");
  EXPECT_EQ(demangled("_QFPinner"), "inner");
  EXPECT_EQ(demangled("_QMgridEcells"), "grid::cells");
  EXPECT_EQ(demangled("_QFEcells"), "cells");
  EXPECT_EQ(demangled("_QMgridPstep..omp_par"), "grid::step..omp_par");
  EXPECT_EQ(demangled("_QQmain..omp_par.1"), "main program..omp_par.1");
}

TEST(SourceNames, OfWhatNobodyNamesStayAsTheyAre) {
  for (const char* name : {"_Q", "_QQclX00", "_QMgridTcell", "_QMgrid P", "_QF", "_quick", "_QMcaféPstep", "solve_"})
    EXPECT_EQ(demangled(name), name);
}

}  // namespace
}  // namespace cachescape::symbols
