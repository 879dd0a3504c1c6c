import { escapeHtml } from '../../platform/http/escape-html.ts';
import type { MailText } from './texts/text.ts';

export function toText({ greeting, before, action, after }: MailText, url: string | null): string {
  const link = url === null ? [] : [`${action}\n${url}`];
  return `${[greeting, ...before, ...link, ...after].join('\n\n')}\n`;
}

const paragraph = (text: string, style = '') =>
  `<p style="margin:0 0 16px;overflow-wrap:anywhere;${style}">${escapeHtml(text)}</p>`;

/** How an email looks. `logo` is the Content-ID of the attached image. */
export type MailStyle = {
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
export function toHtml(
  { subject, greeting, before, action, after }: MailText,
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
${url === null ? '' : button(url)}
${after.map((text) => paragraph(text, small)).join('\n')}
${url === null ? '' : paragraph(url, small)}
</div></body></html>
`;
}
