// Writes sbom.cdx.json, npm's bill of materials (CycloneDX) for production, from the lock file. --stdout prints it.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

/** The packages that are installed or built into `dist/`. The client is published separately. */
const workspaces = ['server', 'certificates', 'standards', 'console', 'player'].flatMap((name) => [
  '--workspace',
  name,
]);
const args = ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only', ...workspaces];
const { status, stdout, stderr, error } = spawnSync('npm', args, {
  encoding: 'utf8',
  maxBuffer: 64 * 1_048_576,
});
if (status !== 0) {
  console.error(`npm sbom failed: ${error?.message ?? stderr.trim()}`);
  process.exit(1);
}
/** npm names the root package after its folder, so the name and version are taken from package.json. */
const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
const bom = JSON.parse(stdout);
const folder: string = bom.metadata.component['bom-ref'];
const ref = `${name}@${version}`;
Object.assign(bom.metadata.component, { 'bom-ref': ref, name, version, purl: `pkg:npm/${ref}` });
for (const dependency of bom.dependencies) if (dependency.ref === folder) dependency.ref = ref;
const text = `${JSON.stringify(bom, null, 2)}\n`;
if (process.argv.includes('--stdout')) process.stdout.write(text);
else {
  writeFileSync('sbom.cdx.json', text);
  console.log(`sbom.cdx.json: ${bom.components.length} packages`);
}
