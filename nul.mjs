process.once('message', () => process.exit());
