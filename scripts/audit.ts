// Queries the registry for known vulnerabilities in production packages. Fails if the registry does not respond.
import { spawnSync } from 'node:child_process';

const { stdout, stderr, error } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8' });
type Report = {
  metadata?: { vulnerabilities: Record<string, number> };
  message?: string;
  error?: { summary?: string };
};
const report: Report = (() => {
  try {
    return JSON.parse(stdout);
  } catch {
    return {};
  }
})();
const found = report.metadata?.vulnerabilities;
if (!found) {
  const reason = report.message ?? report.error?.summary ?? error?.message ?? stderr.trim();
  console.error(
    `The registry did not answer, so nothing is known about weaknesses of our packages: ${reason}`,
  );
  process.exit(2);
}
console.log(`Known weaknesses of what runs with us: ${JSON.stringify(found)}`);
process.exit(found.total === 0 ? 0 : 1);
