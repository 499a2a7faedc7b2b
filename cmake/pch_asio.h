// The plain header and Boost.Asio, for the folders that talk to the network.
#pragma once
#include "pch_plain.h"

#include <boost/asio.hpp>
