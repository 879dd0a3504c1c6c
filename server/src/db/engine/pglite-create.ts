import { startBackend } from './backend.ts';

// Creates a database in the given folder and exits. Used by `folder.ts`.
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Specify the folder.');
const backend = await startBackend({
  folder,
  onCrash: (reason) => {
    console.error(reason);
    process.exit(1);
  },
});
await backend.close();
process.exit(0);
