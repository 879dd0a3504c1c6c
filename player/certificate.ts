import type { components } from '../client/src/generated.ts';
import { linkedInUrl } from '../standards/linked-in.ts';
import { elements, make } from './elements.ts';
import { messages } from './messages.ts';
import { type Action, makeAction } from './pages.ts';
import { webAddress } from './session.ts';

type Certificate = components['schemas']['Certificate'];

/** A certificate is issued shortly after the result, if the course issues any. In milliseconds. */
const pauses = [0, 700, 2_000];

const read = (session: string, type: string) =>
  fetch(`/play/${encodeURIComponent(session)}/certificate`, { headers: { accept: type }, cache: 'no-store' });

async function find(session: string): Promise<Certificate | null> {
  for (const pause of pauses) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    const response = await read(session, 'application/json').catch(() => null);
    if (response?.ok) return response.json();
    if (response?.status !== 404) return null;
  }
  return null;
}

async function save(session: string, number: string): Promise<void> {
  const response = await read(session, 'application/pdf');
  if (!response.ok) throw new Error(`The certificate could not be read: ${response.status}`);
  const address = URL.createObjectURL(await response.blob());
  const link = make('a', '');
  Object.assign(link, { href: address, download: `certificate-${number}.pdf` });
  link.click();
  // Some browsers read the file only after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Adds the certificate to the end of the course, as soon as it exists. */
export async function showCertificate(session: string): Promise<void> {
  const region = make('div', 'certificate');
  region.setAttribute('role', 'status');
  elements.stage.querySelector('.card .facts')?.after(region);
  const found = await find(session);
  if (!found) return;
  const { title, download, linkedIn, check, failed } = messages.certificate;
  const text = make('p', '', title);
  const address = webAddress(found.VerifyURL);
  const act = () =>
    void save(session, found.Number).catch(() => {
      text.textContent = failed;
    });
  const actions: Action[] = [{ text: download, act }];
  if (found.Status === 'valid')
    actions.push({ text: linkedIn, act: () => {}, primary: false, href: linkedInUrl(found) });
  if (address) actions.push({ text: check, act: () => {}, primary: false, href: address });
  region.append(text, make('div', 'actions', ...actions.map(makeAction)));
}
