import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { verifyWebhook } from '../client/src/index.ts';
import { startService } from '../server/test/support/service.ts';
import { newTenant } from '../server/test/support/tenant.ts';
import { until } from '../server/test/support/until.ts';
import { type Receiver, startReceiver } from '../server/test/support/webhooks.ts';
import { blocksOf } from './guide-examples.ts';
import { againAfterCrash } from './sample-runners.ts';

// Runs the functions of the guide's page on deliveries of a service and on forged ones, and compares what they say with
// the TypeScript client.

const page = join(import.meta.dirname, '../docs/guide/verify-webhooks.md');

type Message = { secret: string; id: string; timestamp: string; signatures: string; body: string };

/** A program that reads a message from each line and prints 1 if its function accepts the message, else 0. */
type Program = {
  file: string;
  build?: string[];
  run: string[];
  main: string;
  mainFile: string;
  unless: string[];
};

const programs: Record<string, Program> = {
  python: {
    file: 'webhooks.py',
    mainFile: 'main.py',
    unless: ['python3', '--version'],
    run: ['python3', 'main.py'],
    main: `import base64, sys
from webhooks import verify_webhook
for line in sys.stdin:
    secret, id, timestamp, signatures, body = [base64.b64decode(one) for one in line.strip("\\n").split("\\t")]
    headers = {"webhook-id": id.decode(), "webhook-timestamp": timestamp.decode(), "webhook-signature": signatures.decode()}
    print(1 if verify_webhook(body, headers, secret.decode()) else 0)
`,
  },
  php: {
    file: 'webhooks.php',
    mainFile: 'main.php',
    unless: ['php', '--version'],
    run: ['php', 'main.php'],
    main: `<?php
require 'webhooks.php';
while (($line = fgets(STDIN)) !== false) {
    [$secret, $id, $time, $signatures, $body] = array_map('base64_decode', explode("\\t", rtrim($line, "\\n")));
    $server = ['HTTP_WEBHOOK_ID' => $id, 'HTTP_WEBHOOK_TIMESTAMP' => $time, 'HTTP_WEBHOOK_SIGNATURE' => $signatures];
    echo verifyWebhook($body, $server, $secret) ? 1 : 0, "\\n";
}
`,
  },
  csharp: {
    file: 'Webhooks.cs',
    mainFile: 'Main.cs',
    unless: ['mcs', '--version'],
    build: ['mcs', '-r:System.Core.dll', '-out:main.exe', 'Main.cs', 'Webhooks.cs'],
    run: ['mono', 'main.exe'],
    main: `using System;
using System.Linq;
using System.Text;
static class Program {
    static void Main() {
        for (string line; (line = Console.ReadLine()) != null;) {
            var bytes = line.Split('\\t').Select(Convert.FromBase64String).ToArray();
            var parts = bytes.Select(Encoding.UTF8.GetString).ToArray();
            var names = new[] { "", "webhook-id", "webhook-timestamp", "webhook-signature" };
            Console.WriteLine(Webhooks.Verify(bytes[4], name => parts[Array.IndexOf(names, name)], parts[0]) ? 1 : 0);
        }
    }
}
`,
  },
  go: {
    file: 'webhooks/webhooks.go',
    mainFile: 'main.go',
    unless: ['go', 'version'],
    build: ['go', 'build', '-o', 'main', '.'],
    run: ['./main'],
    main: `package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"sample/webhooks"
	"strings"
)

func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		parts := [][]byte{}
		for _, one := range strings.Split(lines.Text(), "\\t") {
			part, _ := base64.StdEncoding.DecodeString(one)
			parts = append(parts, part)
		}
		header := http.Header{}
		header.Set("webhook-id", string(parts[1]))
		header.Set("webhook-timestamp", string(parts[2]))
		header.Set("webhook-signature", string(parts[3]))
		if webhooks.Verify(parts[4], header, string(parts[0])) {
			fmt.Println(1)
		} else {
			fmt.Println(0)
		}
	}
}
`,
  },
  java: {
    file: 'Webhooks.java',
    mainFile: 'Main.java',
    unless: ['javac', '-version'],
    build: ['javac', 'Main.java', 'Webhooks.java'],
    run: ['java', 'Main'],
    main: `import java.io.*;
import java.util.*;
public class Main {
    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null;) {
            byte[][] parts = new byte[5][];
            String[] texts = line.split("\\t", -1);
            for (int i = 0; i < 5; i++) parts[i] = Base64.getDecoder().decode(texts[i]);
            List<String> names = List.of("", "webhook-id", "webhook-timestamp", "webhook-signature");
            boolean accepted = Webhooks.verify(
                parts[4], name -> new String(parts[names.indexOf(name)]), new String(parts[0]));
            System.out.println(accepted ? 1 : 0);
        }
    }
}
`,
  },
};

let receiver: Receiver;
const closing: (() => Promise<void>)[] = [];
let messages: Message[];
let accepted: boolean[];

const headersOf = ({ id, timestamp, signatures }: Message) => ({
  'webhook-id': id,
  'webhook-timestamp': timestamp,
  'webhook-signature': signatures,
});

const bySdk = (message: Message) =>
  verifyWebhook(message.body, headersOf(message), message.secret).then(
    () => true,
    () => false,
  );

function sign(message: Message): Message {
  const key = Buffer.from(message.secret.replace('whsec_', ''), 'base64');
  const mac = createHmac('sha256', key).update(`${message.id}.${message.timestamp}.${message.body}`);
  return { ...message, signatures: `v1,${mac.digest('base64')}` };
}

/** Two deliveries of a service, the second during a rotation, and what an attacker or a broken proxy makes of them. */
before(async () => {
  receiver = await startReceiver();
  const service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
  closing.push(() => service.close(), receiver.kill);
  const { key } = await newTenant(service);
  const { body } = await service.api('POST', '/webhook', { URL: receiver.url }, key);
  const ping = async () => {
    await service.api('POST', `/webhook/${body.WebhookID}/ping`, undefined, key);
    const { headers, text } = receiver.received.at(-1) ?? assert.fail('nothing was delivered');
    const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(
      (name) => `${headers[`webhook-${name}`]}`,
    ) as [string, string, string];
    return { id, timestamp, signatures, body: text };
  };
  const one = { ...(await ping()), secret: body.Secret as string };
  const rotated = (await service.api('POST', `/webhook/${body.WebhookID}/rotate`, {}, key)).body;
  await until('the rotation is known', async () => (await ping()).signatures.split(' ').length === 2);
  const both = await ping();
  const ago = (seconds: number) => `${Math.floor(Date.now() / 1000) - seconds}`;
  messages = [
    one,
    { ...both, secret: body.Secret },
    { ...both, secret: rotated.Secret },
    sign({ ...one, body: '{ "Grüße": "👋" }\n' }),
    sign({ ...one, timestamp: ago(240) }),
    { ...one, signatures: `v1a,x ${one.signatures}` },
    { ...one, secret: rotated.Secret },
    { ...one, body: `${one.body} ` },
    { ...one, id: both.id },
    { ...one, timestamp: ago(-1) },
    sign({ ...one, timestamp: ago(400) }),
    sign({ ...one, timestamp: ago(-400) }),
    sign({ ...one, timestamp: '-1' }),
    sign({ ...one, timestamp: `+${ago(0)}` }),
    sign({ ...one, timestamp: `${ago(0)}.5` }),
    sign({ ...one, timestamp: '999999999999999999' }),
    { ...one, timestamp: '' },
    sign({ ...one, id: '' }),
    { ...one, signatures: '' },
    { ...one, signatures: 'v1,' },
    { ...one, signatures: one.signatures.slice(3) },
    { ...one, signatures: one.signatures.replace('v1,', 'v2,') },
  ];
  accepted = await Promise.all(messages.map(bySdk));
  assert.deepEqual(
    accepted,
    messages.map((_, index) => index < 6),
  );
});
after(async () => {
  for (const close of closing) await close();
});

const isMissing = ([program = '', ...args]: string[]) => spawnSync(program, args).status !== 0;

for (const [language, { file, mainFile, main, build, run, unless }] of Object.entries(programs))
  test(`the guide's function for ${language} accepts what is authentic and nothing else`, {
    skip: !process.env.ALL_LANGUAGES && isMissing(unless) && `${unless[0]} is not installed`,
  }, async () => {
    const [sample] = blocksOf(page).filter((block) => block.language === language);
    assert.ok(sample, `verify-webhooks.md has no block of ${language}`);
    const folder = await mkdtemp(join(tmpdir(), 'lectern-webhooks-'));
    const execute = ([program = '', ...args]: string[], input = '') =>
      execFileSync(program, args, {
        cwd: folder,
        input,
        encoding: 'utf8',
        env: { ...process.env, GOCACHE: join(folder, 'cache'), GOFLAGS: '-mod=mod' },
      });
    try {
      if (language === 'go') mkdirSync(join(folder, 'webhooks'));
      writeFileSync(join(folder, 'go.mod'), 'module sample\n');
      writeFileSync(join(folder, file), sample.text);
      writeFileSync(join(folder, mainFile), main);
      if (build) execute(build);
      const encode = (text: string) => Buffer.from(text).toString('base64');
      const lines = messages.map(({ secret, id, timestamp, signatures, body }) =>
        [secret, id, timestamp, signatures, body].map(encode).join('\t'),
      );
      const printed = await againAfterCrash(async () => execute(run, `${lines.join('\n')}\n`));
      assert.deepEqual(
        printed
          .trim()
          .split(/\r?\n/)
          .map((line) => line === '1'),
        accepted,
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
