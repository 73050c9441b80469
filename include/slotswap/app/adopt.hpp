// `slotswap adopt`: slot files that another program named take over as states of a route.
#pragma once

#include <string>

namespace slotswap::app {

/// Takes over TAG_ID.bin files of the route's folder, where TAG is made of `from`, or (empty) of
/// the route's or the served model's name. Asks the route's server what it serves; no slotswap may
/// be running on the folder. 0: all that was found was taken over; 1: some stayed, or it could not
/// be done; 2: errors of the configuration.
int adopt(std::string const& config_file, std::string const& route, std::string const& from);

}  // namespace slotswap::app
