import type { CertificateStatus, FileCheck } from '../certificates/record/schemas.ts';
import type { Language } from '../tenants/schemas.ts';

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
  check: {
    title: string;
    another: string;
    open: string;
    file: string;
    hint: string;
    failed: string;
    /** Instead of `genuine` for a badge, whose drawing is not signed. */
    picture: string;
    results: Record<FileCheck['Result'], string>;
  };
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
    check: {
      title: 'Check a certificate',
      another: 'Check another certificate',
      open: 'Check',
      file: 'Check a file',
      hint: 'Drop a PDF, a badge or a credential (JSON) here, or choose one. It is not stored.',
      failed: 'The file could not be checked. Try again.',
      picture: 'The credential in the picture is genuine. Only the certificate shown here counts.',
      results: {
        genuine: 'The file is genuine and unchanged.',
        differs:
          'The signature in the file is genuine, but its pages are not those that are drawn today: they were edited, or drawn by an earlier version. Only the certificate shown here counts.',
        forged: 'The signature is wrong: the file was changed, or is a forgery.',
        unknown: 'The file contains no certificate that is known here.',
      },
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
    check: {
      title: 'Zertifikat prüfen',
      another: 'Anderes Zertifikat prüfen',
      open: 'Prüfen',
      file: 'Datei prüfen',
      hint: 'Ziehen Sie ein PDF, einen Badge oder einen Nachweis (JSON) hierher, oder wählen Sie eine Datei. Sie wird nicht gespeichert.',
      failed: 'Die Datei konnte nicht geprüft werden. Versuchen Sie es noch einmal.',
      picture: 'Der Nachweis in dem Bild ist echt. Nur das hier gezeigte Zertifikat zählt.',
      results: {
        genuine: 'Die Datei ist echt und unverändert.',
        differs:
          'Die Signatur in der Datei ist echt, aber ihre Seiten sind nicht die, die heute gezeichnet werden: Sie wurden bearbeitet oder stammen von einer früheren Version. Es gilt nur das hier gezeigte Zertifikat.',
        forged: 'Die Signatur ist falsch: Die Datei wurde geändert oder ist gefälscht.',
        unknown: 'Die Datei enthält kein Zertifikat, das hier bekannt ist.',
      },
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
    check: {
      title: 'Vérifier un certificat',
      another: 'Vérifier un autre certificat',
      open: 'Vérifier',
      file: 'Vérifier un fichier',
      hint: 'Déposez ici un PDF, un badge ou une attestation (JSON), ou choisissez un fichier. Il n’est pas conservé.',
      failed: 'Le fichier n’a pas pu être vérifié. Réessayez.',
      picture: 'La preuve dans l’image est authentique. Seul le certificat affiché ici fait foi.',
      results: {
        genuine: 'Le fichier est authentique et intact.',
        differs:
          'La signature du fichier est authentique, mais ses pages ne sont pas celles que nous produisons aujourd’hui : elles ont été modifiées ou viennent d’une version antérieure. Seul le certificat affiché ici fait foi.',
        forged: 'La signature est incorrecte : le fichier a été modifié ou falsifié.',
        unknown: 'Le fichier ne contient aucun certificat connu ici.',
      },
    },
  },
};

export const textsIn = (language: Language) => texts[language];

/** A day as people write it, such as 31 January 2026. */
export function dayIn(language: Language, at: string, timeZone: string): string {
  const locale = { en: 'en-GB', de: 'de-DE', fr: 'fr-FR' }[language];
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone }).format(new Date(at));
}
