import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A message as the mail server received it. */
export type ReceivedMail = {
  from: string;
  to: string[];
  /** The headers by lower-case name, unfolded and decoded. */
  headers: Map<string, string>;
  text: string;
  html: string;
  images: { type: string; headers: Map<string, string>; content: Buffer }[];
  /** The attached CSV file. */
  csv: string | null;
  raw: string;
};

export type TestMailServer = {
  url: string;
  port: number;
  /** The received messages in the order of arrival. */
  mails: ReceivedMail[];
  /** The reply to the next commands of each kind; null makes them succeed. */
  reply: { rcpt: SmtpReply | null; data: SmtpReply | null };
  /** If set, the server waits for this promise before it confirms a message. */
  hold: Promise<void> | null;
  close: () => Promise<void>;
};

type SmtpReply = { code: number; text: string };

const failure = ({ code, text }: SmtpReply) => Object.assign(new Error(text), { responseCode: code });

/** An independent mail server on 127.0.0.1 that keeps the messages it receives. */
export async function startMailServer(options: SMTPServerOptions & { on?: number } = {}) {
  const { on = 0, ...own } = options;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    ...own,
    onRcptTo: (_address, _session, done) => done(state.reply.rcpt && failure(state.reply.rcpt)),
    onData: (stream, session, done) => {
      void (async () => {
        const raw = await text(stream).catch(() => null);
        // The client has closed the connection.
        if (raw === null) return;
        if (state.reply.data) return done(failure(state.reply.data));
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom ? mailFrom.address : '';
        state.mails.push({ from, to: rcptTo.map(({ address }) => address), raw, ...parse(raw) });
        await state.hold;
        done(null, `queued as ${state.mails.length}`);
      })();
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(on, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const state: TestMailServer = {
    url: `smtp://127.0.0.1:${port}`,
    port,
    mails: [],
    reply: { rcpt: null, data: null },
    hold: null,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return state;
}

function headersOf(part: string): Map<string, string> {
  const head = part.slice(0, part.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ');
  return new Map(
    head.split('\r\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim())];
    }),
  );
}

/** Decodes encoded words (RFC 2047), and removes the spaces between them. */
function decodeWords(value: string): string {
  return value
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, how, word) =>
      how.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString()
        : Buffer.from(
            word
              .replaceAll('_', ' ')
              .replaceAll(/=([\da-f]{2})/gi, (_: string, hex: string) =>
                String.fromCharCode(Number.parseInt(hex, 16)),
              ),
            'latin1',
          ).toString(),
    );
}

/** The parts of a message, which may contain parts of their own. */
function partsOf(raw: string): string[] {
  const boundaries = [...raw.matchAll(/boundary="([^"]+)"/g)].map(([, boundary = '']) => `--${boundary}`);
  return boundaries.reduce((parts, boundary) => parts.flatMap((part) => part.split(boundary)), [raw]);
}

function parse(raw: string): Pick<ReceivedMail, 'headers' | 'text' | 'html' | 'images' | 'csv'> {
  const bodies = new Map<string, string>();
  const images: ReceivedMail['images'] = [];
  for (const part of partsOf(raw)) {
    const own = part.replace(/^\r\n/, '');
    const headers = headersOf(own);
    const type = headers.get('content-type')?.split(';')[0] ?? '';
    const isBase64 = headers.get('content-transfer-encoding') === 'base64';
    const body = own.slice(own.indexOf('\r\n\r\n') + 4);
    const content = isBase64 ? Buffer.from(body, 'base64') : Buffer.from(body.replaceAll('\r\n', '\n'));
    if (type.startsWith('image/')) images.push({ type, headers, content });
    else bodies.set(type, content.toString());
  }
  const [text = '', html = ''] = [bodies.get('text/plain'), bodies.get('text/html')];
  return { headers: headersOf(raw), text, html, images, csv: bodies.get('text/csv') ?? null };
}
