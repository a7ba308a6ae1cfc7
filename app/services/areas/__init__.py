"""Areas: constraints, client data, no-go areas, electronic charts, areas in force."""
