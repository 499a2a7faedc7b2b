// The asio header and CLI11, for the command line.
#pragma once
#include "pch_asio.h"

#include <CLI/CLI.hpp>
