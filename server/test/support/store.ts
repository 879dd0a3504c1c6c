// An S3-compatible store in a process of its own, so that it can be killed: node store.ts FOLDER PORT
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
// @ts-expect-error: the package has no types
import S3rver from '@20minutes/s3rver';
import { freePorts, temporaryFolder } from './process.ts';

const file = fileURLToPath(import.meta.url);
if (process.argv[1] === file) {
  const [, , directory, port] = process.argv;
  const options = { port: Number(port), address: '127.0.0.1', silent: true, directory };
  await new S3rver({ ...options, configureBuckets: [{ name: 'lectern', configs: [] }] }).run();
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
}

/** The store with a bucket for courses, and the settings with which the service uses it. */
export async function startStore() {
  const folder = await temporaryFolder();
  const [port = 0] = await freePorts(1);
  let child: ChildProcess;
  const start = async () => {
    child = fork(file, [folder, String(port)]);
    await once(child, 'message');
  };
  const crash = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  await start();
  return {
    env: {
      STORAGE_URL: `s3://lectern/courses?endpoint=http://127.0.0.1:${port}&region=us-east-1`,
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
    },
    crash,
    start,
    remove: crash,
  };
}
