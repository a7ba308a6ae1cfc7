// The board of voyages under way, which follows what happens.

import { keepLive } from "./live.js";

keepLive();
