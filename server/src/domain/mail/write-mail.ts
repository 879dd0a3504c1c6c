import { fullName } from '../../../../standards/full-name.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import type { Image } from '../../infra/mail/send.ts';
import { isMailAddress } from '../../lib/address.ts';
import { escapeHtml } from '../../lib/escape-html.ts';
import { toNfkd } from '../../lib/unicode.ts';
import { knownBranding, type LogoFile, readLogoFile } from '../tenants/branding.ts';
import type { MailContent, MailKind, MailReport } from './kinds.ts';
import { reminderText } from './reminder-text.ts';
import type { MailText, Texts } from './text.ts';
import { de } from './text-de.ts';
import { en } from './text-en.ts';
import { fr } from './text-fr.ts';

/** The branding in a tenant's emails. The colours are those for light pages, as most mail programs use light mode. */
type MailBranding = {
  button: { fill: string; text: string } | null;
  logo: LogoFile | null;
};

export async function mailBranding(ctx: TenantContext): Promise<MailBranding> {
  const { light, logoName } = await knownBranding.get(ctx, ctx.tenantId);
  return {
    button: light && { fill: light.Fill, text: light.OnFill },
    logo: logoName === null ? null : await readLogoFile(ctx, ctx.tenantId, logoName),
  };
}

function toText({ greeting, before, lists = [], action, after }: MailText, url: string | null): string {
  const link = url === null ? [] : [`${action}\n${url}`];
  const listed = lists.map(({ heading, items }) =>
    [...(heading === null ? [] : [`${heading}:`]), ...items.map((item) => `- ${item}`)].join('\n'),
  );
  return `${[greeting, ...before, ...listed, ...link, ...after].join('\n\n')}\n`;
}

const list = ({ heading, items }: NonNullable<MailText['lists']>[number]) =>
  `${heading === null ? '' : paragraph(heading, 'font-weight:600;')}<ul style="margin:0 0 16px;padding-left:20px">${items
    .map((item) => `<li style="margin:0 0 8px;overflow-wrap:anywhere">${escapeHtml(item)}</li>`)
    .join('\n')}</ul>`;

const paragraph = (text: string, style = '') =>
  `<p style="margin:0 0 16px;overflow-wrap:anywhere;${style}">${escapeHtml(text)}</p>`;

/** How an email looks. `logo` is the Content-ID of the attached image. */
type MailStyle = {
  name: string;
  button: { fill: string; text: string };
  logo: { cid: string; width: number; height: number } | null;
};

const maxLogo = { width: 240, height: 56 };

/** Mail programs ignore maximum sizes. The white background is for logos with dark text, in dark mode. */
function logoOf({ name, logo }: MailStyle): string {
  if (!logo) return '';
  const scale = Math.min(1, maxLogo.width / logo.width, maxLogo.height / logo.height);
  const [width, height] = [logo.width, logo.height].map((side) => Math.max(1, Math.round(side * scale)));
  return `<p style="margin:0 0 24px"><img src="cid:${logo.cid}" alt="${escapeHtml(name)}" width="${width}" height="${height}" style="display:inline-block;padding:8px;border-radius:8px;background:#ffffff;color:#1c2024"></p>\n`;
}

/** Inline styles and an attached image, because mail programs drop style sheets and do not load other images. */
function toHtml(
  { subject, greeting, before, lists = [], action, after }: MailText,
  { url, language, style }: { url: string | null; language: string; style: MailStyle },
): string {
  const { fill, text } = style.button;
  const button = (url: string) =>
    `<p style="margin:24px 0"><a href="${escapeHtml(url)}" style="display:inline-block;padding:12px 24px;border-radius:8px;background:${fill};color:${text};text-decoration:none;font-weight:600">${escapeHtml(action)}</a></p>`;
  // No text colours, because they would have to be legible on both light and dark backgrounds.
  const small = 'font-size:14px;';
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif"><div style="max-width:560px;margin:0 auto">
${logoOf(style)}${[greeting, ...before].map((text) => paragraph(text)).join('\n')}
${lists.map(list).join('\n')}
${url === null ? '' : button(url)}
${after.map((text) => paragraph(text, small)).join('\n')}
${url === null ? '' : paragraph(url, small)}
</div></body></html>
`;
}

const languages: Record<string, Texts> = { en, de, fr };

export const textsOf = (language: string): Texts => languages[language] ?? en;

type Input = MailContent & {
  kind: MailKind;
  tenantName: string;
  language: string;
  expiresAt: Date;
  branding?: MailBranding | undefined;
  isAttached?: boolean;
};

const usualButton = { fill: '#2456d6', text: '#ffffff' };
const logoCid = 'logo@lectern';

type Written = { fromName: string; subject: string; text: string; html: string; images: Image[] };

export function writeMail(input: Input): Written {
  const { locale, texts, reminder } = textsOf(input.language);
  const tenant = oneLine(input.tenantName);
  const name = greetingName(input);
  const own = {
    tenant,
    name,
    loginId: shownLoginId(input.loginId),
    until: dateText(locale, input.expiresAt),
    report: oneLine(input.report?.name ?? ''),
    period: input.report ? periodText(locale, input.report) : '',
    isAttached: input.isAttached ?? false,
    at: input.change ? dateText(locale, new Date(input.change.at)) : '',
    isOwn: input.change?.isOwn ?? false,
    isAll: input.change?.isAll ?? false,
  };
  const text =
    input.kind === 'reminder'
      ? reminderText(reminder, locale, { tenant, name, reminder: input.reminder })
      : texts[input.kind](own);
  const { url, branding } = input;
  const logo = branding?.logo ?? null;
  const style: MailStyle = {
    name: tenant,
    button: branding?.button ?? usualButton,
    logo: logo && { cid: logoCid, width: logo.width, height: logo.height },
  };
  return {
    fromName: tenant,
    subject: text.subject,
    text: toText(text, url),
    html: toHtml(text, { url, language: input.language, style }),
    images: logo ? [{ cid: logoCid, type: logo.type, content: logo.content }] : [],
  };
}

/** Control characters, line separators, and characters that change the text direction. */
const hidden = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

export function oneLine(text: string): string {
  return text.replaceAll(hidden, ' ').replaceAll(/\s+/g, ' ').trim();
}

const maxName = 80;
/** Text that a mail program would show as a link. */
const link = /[/:<>\\]|[.\u3002]\S/u;
const phoneNumber = /(?:\p{Nd}[\s().+-]*){5}/u;

/** Leaves out a name that a mail program would show as a link, or that reads like a message. */
function greetingName({ firstName, lastName }: MailContent): string | null {
  const name = oneLine(fullName(firstName, lastName));
  const plain = toNfkd(name);
  const isMessage =
    name.length > maxName || link.test(plain) || plain.includes('@') || phoneNumber.test(plain);
  return name === '' || isMessage ? null : name;
}

/** Leaves out a LoginID that is long, has spaces, or would be shown as a link, unless it is an email address. */
function shownLoginId(loginId: string): string | null {
  const name = oneLine(loginId);
  const plain = toNfkd(name);
  if (name.length > maxName || /[\s/]/.test(plain)) return null;
  return isMailAddress(name) || !link.test(plain) ? name : null;
}

/** The days of a report, which are in UTC. */
function periodText(locale: string, { from, to }: Pick<MailReport, 'from' | 'to'>): string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  const last = new Date(to);
  return from === null || from === to ? format.format(last) : format.formatRange(new Date(from), last);
}

function dateText(locale: string, at: Date): string {
  const format = new Intl.DateTimeFormat(locale, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  return `${format.format(at)} UTC`;
}
