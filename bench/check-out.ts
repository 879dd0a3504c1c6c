import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const here = join(import.meta.dirname, '..');

/** Checks out another version into its own folder, installs its packages, and builds it if it has a build. */
export async function checkOut(
  revision: string,
  say: (line: string) => void,
): Promise<{ root: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-compare-'));
  const root = join(folder, 'tree');
  execFileSync('git', ['worktree', 'add', '--detach', root, revision], { cwd: here, stdio: 'pipe' });
  const npm = (...args: string[]) => execFileSync('npm', args, { cwd: root, stdio: 'pipe' });
  const remove = async () => {
    execFileSync('git', ['worktree', 'remove', '--force', root], { cwd: here, stdio: 'pipe' });
    await rm(folder, { recursive: true, force: true });
  };
  try {
    say(`${revision}: installing`);
    npm('ci', '--no-audit', '--no-fund', '--prefer-offline');
    npm('run', 'build', '--if-present');
  } catch (error) {
    await remove();
    throw error;
  }
  return { root, remove };
}
