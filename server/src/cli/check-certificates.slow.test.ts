import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeCertificate } from '../../test/support/certificate.ts';
import { checkCommand } from './check-command.ts';

/** Makes a certificate with openssl, which not every machine has. */
test('check reports a certificate that does not cover the host, and one that ends soon', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-check-'));
  t.after(() => rm(folder, { recursive: true }));
  const { certFile, keyFile } = writeCertificate(folder);
  const found = async (addresses: Record<string, string>) => {
    const { Checks } = await checkCommand({
      ...{ DATA_DIR: join(folder, 'data'), TLS_CERT: certFile, TLS_KEY: keyFile },
      ...addresses,
    });
    const { Result, Detail } = Checks.find(({ Name }) => Name === 'certificates') ?? {};
    return `${Result}: ${Detail}`;
  };
  assert.match(
    await found({ BASE_URL: 'https://lectern.example' }),
    /^failed: .* does not cover lectern\.example/,
  );
  assert.match(
    await found({ BASE_URL: 'https://localhost', CONTENT_URL: 'https://127.0.0.1' }),
    /^warning: The certificate is valid for 1 more days/,
  );
});
