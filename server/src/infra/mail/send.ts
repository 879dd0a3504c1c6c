import { createTransport } from 'nodemailer';
import type { MailServer } from '../context/config.ts';

/** An image that the HTML text shows. */
export type Image = { cid: string; type: string; content: Buffer };

export type Message = {
  /** The same for each attempt, so receivers can discard duplicates. */
  id: string;
  fromName: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  images?: readonly Image[];
  attachment?: Attachment | null;
};

export type Attachment = { name: string; type: string; content: string };

/**
 * `rejected` means that the server will never accept the message. `unavailable` means that it accepts no
 * messages at present. `answer` is the server's reply, or null if there was none.
 */
export type Outcome = {
  result: 'sent' | 'rejected' | 'delayed' | 'unavailable';
  answer: string | null;
  error?: unknown;
};

export type Sender = { send: (message: Message) => Promise<Outcome>; close: () => void };

/** Concurrent connections to the mail server. */
export const maxConnections = 5;

/** Idle timeouts in milliseconds. A server that sends an occasional byte never reaches them. */
const timeouts = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 15_000,
  socketTimeout: 30_000,
};

/** The limit for a whole message, including the connection. Claims on messages expire later than this. */
const maxMilliseconds = 90_000;

/** Connects and signs in without sending anything. Rejects with the server's answer. */
export async function checkMailServer(server: MailServer): Promise<void> {
  const transport = createTransport(transportOptions(server));
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

const transportOptions = ({ host, port, tls, user, password }: MailServer) => ({
  host,
  port,
  secure: tls === 'implicit',
  requireTLS: tls === 'starttls',
  ignoreTLS: tls === 'none',
  ...(user !== null && { auth: { user, pass: password ?? '' } }),
  ...timeouts,
  disableFileAccess: true,
  disableUrlAccess: true,
});

export function openSender(server: MailServer, milliseconds = maxMilliseconds): Sender {
  const { from } = server;
  const transport = createTransport({
    pool: true,
    maxConnections,
    // The caller decides whether to retry, because the server may have accepted the message.
    maxRequeues: 0,
    ...transportOptions(server),
  });
  return {
    send: async (message) => {
      // Aborting ends only this message's connection.
      const signal = AbortSignal.timeout(milliseconds);
      try {
        const { response } = await transport.sendMail({ ...toMail(message, from), signal });
        return { result: 'sent', answer: response };
      } catch (error) {
        return failureOf(error);
      }
    },
    close: () => transport.close({ force: true }),
  };
}

const toMail = (
  { id, fromName, to, subject, text, html, images = [], attachment }: Message,
  from: string,
) => ({
  messageId: `<${id}@${from.slice(from.indexOf('@') + 1)}>`,
  from: { name: fromName, address: from },
  to: { name: '', address: to },
  envelope: { from, to: [to] },
  subject,
  text,
  html,
  textEncoding: 'base64' as const,
  attachments: [
    ...images.map(({ cid, type, content }) => ({
      cid,
      content,
      contentType: type,
      contentDisposition: 'inline' as const,
      filename: `logo.${type.slice('image/'.length)}`,
    })),
    ...(attachment
      ? [{ filename: attachment.name, contentType: attachment.type, content: attachment.content }]
      : []),
  ],
  headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
});

type SmtpError = { code?: string; command?: string; responseCode?: number; response?: string };

/** Only the server's response about the recipient or the message is final. All other failures may be temporary. */
function failureOf(error: unknown): Outcome {
  const { code, command, responseCode = 0, response }: SmtpError = Object(error);
  const isOfMessage = (code === 'EENVELOPE' || code === 'EMESSAGE') && command !== 'MAIL FROM';
  if (!isOfMessage) return { result: 'unavailable', answer: null, error };
  // `API` means that the library itself rejected the address.
  const isFinal = responseCode >= 500 || command === 'API';
  return { result: isFinal ? 'rejected' : 'delayed', answer: response ?? null, error };
}
