import type { Language } from '../tenants/schemas.ts';
import type { CertificateStatus } from './schemas.ts';

type Texts = {
  status: Record<CertificateStatus, string>;
  course: string;
  issuedBy: string;
  completed: string;
  validUntil: string;
  unlimited: string;
  number: string;
  revoked: (date: string) => string;
  reason: string;
  newer: string;
  erased: string;
  notFound: { title: string; reason: string };
};

const texts: Record<Language, Texts> = {
  en: {
    status: {
      valid: 'This certificate is valid',
      expired: 'This certificate has expired',
      revoked: 'This certificate was revoked',
      replaced: 'There is a newer certificate',
    },
    course: 'Course',
    issuedBy: 'Issued by',
    completed: 'Completed on',
    validUntil: 'Valid until',
    unlimited: 'no end date',
    number: 'Number',
    revoked: (date) => `Revoked on ${date}`,
    reason: 'Reason',
    newer: 'Open the newer certificate',
    erased: 'Name erased',
    notFound: {
      title: 'There is no certificate with this number',
      reason: 'Compare the number with the one on the certificate. It has 16 letters and digits.',
    },
  },
  de: {
    status: {
      valid: 'Dieses Zertifikat ist gültig',
      expired: 'Dieses Zertifikat ist abgelaufen',
      revoked: 'Dieses Zertifikat wurde widerrufen',
      replaced: 'Es gibt ein neueres Zertifikat',
    },
    course: 'Kurs',
    issuedBy: 'Ausgestellt von',
    completed: 'Abgeschlossen am',
    validUntil: 'Gültig bis',
    unlimited: 'unbefristet',
    number: 'Nummer',
    revoked: (date) => `Widerrufen am ${date}`,
    reason: 'Grund',
    newer: 'Neueres Zertifikat öffnen',
    erased: 'Name gelöscht',
    notFound: {
      title: 'Es gibt kein Zertifikat mit dieser Nummer',
      reason: 'Vergleichen Sie die Nummer mit der auf dem Zertifikat. Sie hat 16 Buchstaben und Ziffern.',
    },
  },
  fr: {
    status: {
      valid: 'Ce certificat est valide',
      expired: 'Ce certificat a expiré',
      revoked: 'Ce certificat a été révoqué',
      replaced: 'Il existe un certificat plus récent',
    },
    course: 'Cours',
    issuedBy: 'Délivré par',
    completed: 'Terminé le',
    validUntil: 'Valable jusqu’au',
    unlimited: 'sans date de fin',
    number: 'Numéro',
    revoked: (date) => `Révoqué le ${date}`,
    reason: 'Motif',
    newer: 'Ouvrir le certificat plus récent',
    erased: 'Nom effacé',
    notFound: {
      title: 'Aucun certificat ne porte ce numéro',
      reason: 'Comparez le numéro avec celui du certificat. Il comporte 16 lettres et chiffres.',
    },
  },
};

export const textsIn = (language: Language) => texts[language];

/** A day as people write it, such as 31 January 2026. */
export function dayIn(language: Language, at: string, timeZone: string): string {
  const locale = { en: 'en-GB', de: 'de-DE', fr: 'fr-FR' }[language];
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone }).format(new Date(at));
}
