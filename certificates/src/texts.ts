import { isolate } from './lines.ts';
import type { CertificateInput } from './types.ts';

const all = {
  en: {
    title: 'Certificate',
    certifies: 'This is to certify that',
    passed: 'has passed the course',
    completed: 'has completed the course',
    date: 'Date',
    validUntil: 'Valid until',
    check: 'Check this certificate',
    serial: 'Serial number',
    erased: '(name erased)',
  },
  de: {
    title: 'Zertifikat',
    certifies: 'Hiermit wird bescheinigt:',
    passed: 'hat den Kurs bestanden',
    completed: 'hat den Kurs abgeschlossen',
    date: 'Datum',
    validUntil: 'Gültig bis',
    check: 'Zertifikat prüfen',
    serial: 'Seriennummer',
    erased: '(Name gelöscht)',
  },
  fr: {
    title: 'Certificat',
    certifies: 'Nous certifions que',
    passed: 'a réussi le cours',
    completed: 'a suivi le cours jusqu’à la fin',
    date: 'Date',
    validUntil: 'Valable jusqu’au',
    check: 'Vérifier ce certificat',
    serial: 'Numéro de série',
    erased: '(nom effacé)',
  },
};

function day({ Language, TimeZone: timeZone }: CertificateInput, at: string): string {
  const locale = { en: 'en-GB', de: 'de-DE', fr: 'fr-FR' }[Language];
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone }).format(new Date(at));
}

export type Texts = ReturnType<typeof textsOf>;

/** All texts of a certificate, with the values of its placeholders. */
export function textsOf(input: CertificateInput) {
  const own = all[input.Language];
  const name = (input.Name ?? own.erased).normalize('NFC');
  const date = day(input, input.CompletedAt);
  const end = input.ValidUntil && day(input, input.ValidUntil);
  const values: Record<string, string> = {
    Name: name,
    Course: input.CourseTitle,
    Date: date,
    ValidUntil: end ?? '',
    Score: input.Score === null ? '' : new Intl.NumberFormat(input.Language).format(input.Score),
    Issuer: input.Issuer,
  };
  const fill = (text: string) =>
    text.replaceAll(/\{(\w+)\}/g, (whole, key) => (key in values ? isolate(values[key] ?? '') : whole));
  return {
    title: fill(input.Title ?? own.title),
    certifies: own.certifies,
    name,
    sentence: fill(input.Text ?? own[input.Outcome]),
    /** null if the sentence names the course. */
    course: input.Text?.includes('{Course}') ? null : input.CourseTitle.normalize('NFC'),
    issuer: input.Issuer,
    dateLabel: own.date,
    date,
    validUntilLabel: own.validUntil,
    validUntil: end,
    check: own.check,
    serial: input.Serial === null ? null : `${own.serial} ${isolate(input.Serial)}`,
  };
}
