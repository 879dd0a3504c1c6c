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
    `The registry did not respond, so our packages could not be checked for vulnerabilities: ${reason}`,
  );
  process.exit(2);
}
console.log(`Known vulnerabilities in production packages: ${JSON.stringify(found)}`);
process.exit(found.total === 0 ? 0 : 1);
