// The grade book of a platform as a program of its own, which can be killed: node score-keeper.ts PORT JOURNAL.
// It answers with 409 to a score that is not newer than the one before (AGS 2.0, 3.4.8).
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export type Kept = {
  link: string;
  userId: string;
  timestamp: string;
  scoreGiven?: number;
  activityProgress: string;
};

const [port = '0', journal = ''] = process.argv.slice(2);
const last = new Map<string, Kept>();
const keyOf = ({ link, userId }: Pick<Kept, 'link' | 'userId'>) => `${link} ${userId}`;

export const readJournal = (file: string): Kept[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line) as Kept)
    : [];

function serve(): void {
  for (const one of readJournal(journal)) last.set(keyOf(one), one);
  createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const json = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://unused');
    if (pathname === '/token') return json(200, { access_token: 'access', expires_in: 3600 });
    const link = pathname.split('/')[2] ?? '';
    if (request.method === 'GET') {
      const held = last.get(keyOf({ link, userId: searchParams.get('user_id') ?? '' }));
      if (held?.scoreGiven === undefined) return json(200, []);
      return json(200, [{ userId: held.userId, resultScore: held.scoreGiven, resultMaximum: 100 }]);
    }
    const score = { ...(JSON.parse(Buffer.concat(chunks).toString()) as Kept), link };
    await pause(Math.random() * 60);
    const before = last.get(keyOf(score));
    if (before && before.timestamp >= score.timestamp) return json(409, {});
    last.set(keyOf(score), score);
    appendFileSync(journal, `${JSON.stringify(score)}\n`);
    await pause(Math.random() * 60);
    json(200, {});
  }).listen(Number(port), '127.0.0.1');
}

if (import.meta.main) serve();
