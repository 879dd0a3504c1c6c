#!/usr/bin/env bash
# Package: @xapi/xapi 3.0.3
# A good guess: getStatement with attachments: true returns the statement and each attachment as it was stored: xAPI
# (Communication 1.5) sends them as the parts of multipart/mixed.
# What happens: of an attachment with several lines that end in CR and LF, only the last line is returned.
# Why it matters: an observation form or a signed record that is attached as text comes back cut, without an error;
# whoever compares its SHA-256 with the statement calls a sound record forged.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . @xapi/xapi@3.0.3
cat > show.cjs <<'JS'
const { createServer } = require('node:http');
const { createHash } = require('node:crypto');
const XAPI = require('@xapi/xapi');
const form = ['Observer: Ada', 'Ladder checked: yes', 'Signed: 2026-11-30'].join('\r\n');
const sha2 = createHash('sha256').update(form).digest('hex');
const attachment = { usageType: 'https://example.org/form', display: { en: 'Form' }, contentType: 'text/plain', length: form.length, sha2 };
const statement = { id: '6690e6c9-3ef0-4ed3-8b37-7f3964730bee', attachments: [attachment] };
const body = [
  '--parts', 'Content-Type: application/json', '', JSON.stringify(statement),
  '--parts', 'Content-Type: text/plain', 'Content-Transfer-Encoding: binary', `X-Experience-API-Hash: ${sha2}`, '', form,
  '--parts--', '',
].join('\r\n');
const server = createServer((_, response) => {
  response.writeHead(200, { 'Content-Type': 'multipart/mixed; boundary=parts' });
  response.end(body);
});
server.listen(0, '127.0.0.1', async () => {
  const lrs = new XAPI({ endpoint: `http://127.0.0.1:${server.address().port}/` });
  const { data } = await lrs.getStatement({ statementId: statement.id, attachments: true });
  const [, text] = data;
  console.log(`Stored: ${JSON.stringify(form)}\nRead:   ${JSON.stringify(text)}`);
  server.close();
  server.closeAllConnections();
  process.exitCode = text === 'Signed: 2026-11-30' ? 0 : 1;
});
JS
node show.cjs
