// List of voyages under way, refreshed at events.

import { refreshLiveParts } from "./live_refresh.js";

refreshLiveParts();
