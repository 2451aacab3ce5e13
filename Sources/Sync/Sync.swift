// Sync
