#!/usr/bin/env bash
# Package: @xapi/xapi 3.0.3
# A good guess: sendStatements takes several statements and the contents of all their attachments; a statement
# without attachments among them makes no difference.
# What happens: if such a statement comes before the one with the attachment, the call fails with a TypeError and
# nothing is sent. In the other order it works.
# Why it matters: a course that sends "answered" statements together with one that has a certificate or a drawing
# attached loses all of them, or none, depending on their order.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --silent --prefix . @xapi/xapi@3.0.3
cat > show.cjs <<'JS'
const XAPI = require('@xapi/xapi');
const agent = { mbox: 'mailto:learner@example.org' };
const plain = { actor: agent, verb: XAPI.Verbs.ANSWERED, object: { id: 'https://example.org/question' } };
const file = new TextEncoder().encode('A drawing').buffer;
const described = {
  usageType: 'https://example.org/drawing', display: { en: 'Drawing' }, contentType: 'text/plain', length: 9,
  sha2: '0'.repeat(64),
};
const drawn = { ...plain, attachments: [described] };
const sent = [];
const adapter = async ({ url, data }) => { sent.push(data); return { data: [], headers: {}, status: 200 }; };
const send = async (statements) => {
  const lrs = new XAPI({ endpoint: 'https://lrs.example/', adapter });
  try {
    await lrs.sendStatements({ statements, attachments: [file] });
    return 'sent';
  } catch (error) {
    return error.constructor.name;
  }
};
(async () => {
  const after = await send([drawn, plain]);
  const before = await send([plain, drawn]);
  console.log(`Attachment first: ${after}; plain statement first: ${before}; requests: ${sent.length}`);
  process.exit(after === 'sent' && before === 'TypeError' ? 0 : 1);
})();
JS
node show.cjs
