// The plain header and GoogleTest, for the tests.
#pragma once
#include "pch_plain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
