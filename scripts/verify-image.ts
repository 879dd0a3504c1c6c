// Runs the steps of deploy/Dockerfile in separate root file systems, without Docker. Needs root, Debian and debootstrap.
// `node scripts/run.js verify-image`; `-- --base FOLDER` uses an existing Debian root file system.
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const root = join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { base: { type: 'string' } } });
const folder = mkdtempSync('/var/tmp/lectern-image-');

type Instruction = { name: string; rest: string };

/** The stages of the Dockerfile, each with its instructions. */
function readStages(): Instruction[][] {
  const text = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8').replaceAll(/\\\n\s*/g, ' ');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const stages: Instruction[][] = [];
  for (const line of lines) {
    const [name = '', ...rest] = line.trim().split(' ');
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, rest: rest.join(' ').trim() });
  }
  return stages;
}

function run(program: string, args: string[], env: NodeJS.ProcessEnv = process.env): string {
  const { status, error, stdout } = spawnSync(program, args, {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (error) throw new Error(`${program} cannot be run. Install it with apt-get install.`, { cause: error });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}`);
  return stdout;
}

/** Debian with Node.js and npm in /usr/local and the user `node`, like the Dockerfile's base image. */
function makeBase(): string {
  const base = join(folder, 'base');
  if (values.base) run('cp', ['-a', values.base, base]);
  else run('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'trixie', base]);
  cpSync(realpathSync(join(root, 'node_modules/node/bin/node')), join(base, 'usr/local/bin/node'));
  const npm = join(realpathSync(run('which', ['npm']).trim()), '../..');
  cpSync(npm, join(base, 'usr/local/lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(base, 'usr/local/bin/npm'));
  run('chroot', [base, 'useradd', '--uid', '1000', '--create-home', 'node']);
  for (const file of ['/etc/resolv.conf', process.env.NODE_EXTRA_CA_CERTS ?? ''])
    if (file && existsSync(file)) {
      mkdirSync(dirname(join(base, file)), { recursive: true });
      cpSync(file, join(base, file), { dereference: true });
    }
  return base;
}

/** Settings that the npm client needs on this machine. They do not remain in the image. */
const network = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^(https?_proxy|NODE_EXTRA_CA_CERTS|npm_config_registry)$/i.test(name),
  ),
);
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Runs a shell command in the root file system. The mounts are removed when it exits. */
function inside(stage: string, command: string, cwd: string, mounts: readonly string[] = []): void {
  const script = [
    `mount -t proc proc '${stage}/proc'`,
    ...mounts,
    `exec chroot '${stage}' /bin/sh -ec "$COMMAND"`,
  ];
  run('unshare', ['--mount', '--fork', '/bin/sh', '-ec', script.join('\n')], {
    ...network,
    PATH: path,
    HOME: '/root',
    COMMAND: `cd ${cwd}; ${command}`,
  });
}

/** The build context: the files of the checkout except those in .dockerignore. */
function copyContext(target: string): void {
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
  const excluded = ignored.map((name) => `--exclude=${name.replace('**/', '')}`);
  mkdirSync(target, { recursive: true });
  run('sh', ['-ec', 'tar -C "$0" -cf - "$@" . | tar -C "$TARGET" -xf -', root, ...excluded], {
    ...process.env,
    TARGET: target,
  });
}

type Image = { stage: string; env: Record<string, string>; settings: Record<string, string> };

function build(base: string): Image {
  let stage = '';
  const image: Image = { stage, env: {}, settings: {} };
  for (const [number, instructions] of readStages().entries()) {
    const previous = stage;
    stage = join(folder, `stage-${number}`);
    run('cp', ['-a', base, stage]);
    let cwd = '/';
    for (const { name, rest } of instructions) {
      console.log(`${name} ${rest.slice(0, 100)}`);
      if (name === 'WORKDIR') {
        cwd = rest;
        mkdirSync(join(stage, cwd), { recursive: true });
      } else if (name === 'COPY') copyContext(join(stage, cwd));
      else if (name === 'RUN') {
        const [, source = '', target = '', command = rest] =
          /^--mount=type=bind,from=build,source=(\S+),target=(\S+) (.*)$/.exec(rest) ?? [];
        if (target) mkdirSync(join(stage, target), { recursive: true });
        inside(
          stage,
          command,
          cwd,
          target ? [`mount --bind '${previous}${source}' '${stage}${target}'`] : [],
        );
      } else if (name === 'ENV')
        for (const pair of rest.split(' '))
          image.env[pair.split('=')[0] ?? ''] = pair.slice(pair.indexOf('=') + 1);
      else image.settings[name] = rest;
    }
  }
  return { ...image, stage };
}

/** Starts a command as the image's user. The root file system is read-only except for /tmp and the volume. */
function start({ stage, env, settings }: Image, command: readonly string[], more: Record<string, string>) {
  const volume = settings.VOLUME ?? '';
  const script = `mount --bind '${stage}' '${stage}'; mount -t proc proc '${stage}/proc'; mount -t tmpfs tmpfs '${stage}/tmp'
    mount --bind '${folder}/volume' '${stage}${volume}'; mount -o remount,bind,ro '${stage}'
    exec chroot --userspec=${settings.USER} '${stage}' "$@"`;
  const args = ['--mount', '/bin/sh', '-ec', script, 'start', ...command];
  return spawn('unshare', args, {
    env: { PATH: path, ...env, ...more },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

const ended = (child: ReturnType<typeof start>) =>
  new Promise<number | null>((resolve) => child.on('exit', resolve));

async function verify(image: Image): Promise<void> {
  const { stage, settings } = image;
  run('cp', ['-a', join(stage, settings.VOLUME ?? ''), join(folder, 'volume')]);
  const size = run('du', ['-sm', join(stage, 'usr/local/lib/node_modules/lectern')]).split('\t')[0];
  console.log(`The installed package takes ${size} MB.`);
  if (Number(size) > 150) throw new Error('A production install must not take more than 150 MB.');
  // Outside a container, the port must not be reachable from other machines.
  const more = { HOST: '127.0.0.1', PORT: '38710', CONTENT_PORT: '38711' };
  const healthcheck: string[] = JSON.parse(/CMD (\[.*\])$/.exec(settings.HEALTHCHECK ?? '')?.[1] ?? '[]');
  const written = await ended(
    start(
      image,
      ['/bin/sh', '-c', 'test "$(id -u)" != 0 && ! touch /usr/file 2>/dev/null && touch /data/file'],
      more,
    ),
  );
  if (written !== 0) throw new Error('The image runs as root, or its root file system is writable.');
  const service = start(
    image,
    [...JSON.parse(settings.ENTRYPOINT ?? '[]'), ...JSON.parse(settings.CMD ?? '[]')],
    more,
  );
  let healthy = false;
  for (let attempt = 0; attempt < 60 && !healthy; attempt++) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    healthy = (await ended(start(image, healthcheck, more))) === 0;
  }
  const stopped = ended(service);
  service.kill((settings.STOPSIGNAL ?? 'SIGTERM') as NodeJS.Signals);
  const code = await stopped;
  if (!healthy) throw new Error('The health check did not pass within a minute.');
  if (code !== 0) throw new Error(`The service exited with code ${code} when it was stopped.`);
  console.log(
    'The image is healthy: it does not run as root, its root file system is read-only, and a signal stops it.',
  );
}

try {
  await verify(build(makeBase()));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
