import type { Texts } from './text.ts';

const hello = (name: string | null) => (name === null ? 'Guten Tag,' : `Guten Tag ${name},`);

export const de: Texts = {
  locale: 'de',
  reminder: {
    greeting: hello,
    words: {
      subject: 'Erinnerung: {Courses}',
      intro: 'bei {Organisation} ist für Sie noch offen:',
      closing: 'Wenn Sie Hilfe oder mehr Zeit brauchen, wenden Sie sich an {Organisation}.',
    },
    ...{ due: 'fällig am', overdue: 'überfällig seit', ends: 'nicht abgeschlossen, und der Zugang endet am' },
    courses: (first, more) => (more === 0 ? first : `${first} und ${more} weitere`),
    more: (count) => `und ${count} weitere`,
    team: 'Überfällig in Ihrem Team',
    action: 'Anmelden',
  },
  texts: {
    invitation: ({ tenant, name, loginId, until }) => ({
      subject: `Legen Sie Ihr Passwort für ${tenant} fest`,
      greeting: hello(name),
      before: [
        `Sie wurden zu ${tenant} eingeladen. Legen Sie ein Passwort fest; danach sind Sie gleich angemeldet.`,
      ],
      action: 'Passwort festlegen',
      after: [
        ...(loginId === null ? [] : [`Ihr Anmeldename lautet ${loginId}.`]),
        `Der Link funktioniert nur einmal und gilt bis zum ${until}. Einen neuen erhalten Sie von der Person, die Sie eingeladen hat.`,
        'Wenn Sie diese E-Mail nicht erwartet haben, können Sie sie ignorieren.',
      ],
    }),
    password_reset: ({ tenant, name, loginId, until }) => ({
      subject: `Setzen Sie Ihr Passwort für ${tenant} zurück`,
      greeting: hello(name),
      before: [`für Ihr Konto bei ${tenant} wurde ein neues Passwort angefordert.`],
      action: 'Neues Passwort festlegen',
      after: [
        ...(loginId === null ? [] : [`Ihr Anmeldename lautet ${loginId}.`]),
        `Der Link funktioniert nur einmal und gilt bis ${until}.`,
        'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Ihr Passwort bleibt dann unverändert.',
      ],
    }),
    report: ({ tenant, name, report, period, isAttached }) => ({
      subject: `${report}: ${period}`,
      greeting: hello(name),
      before: [
        isAttached
          ? `Anbei erhalten Sie den Bericht „${report}“ von ${tenant} für ${period} als CSV-Datei.`
          : `Der Bericht „${report}“ von ${tenant} für ${period} liegt vor. Er ist zu groß für einen Anhang. Melden Sie sich an, um ihn herunterzuladen.`,
      ],
      action: 'Berichte öffnen',
      after: [
        'Die Tage beginnen und enden um Mitternacht UTC.',
        `Sie erhalten diese E-Mail, weil ein Administrator von ${tenant} Sie als Empfänger des Berichts eingetragen hat.`,
      ],
    }),
    password_changed: ({ tenant, name, at, isOwn }) => ({
      subject: `Ihr Passwort für ${tenant} wurde geändert`,
      greeting: hello(name),
      before: isOwn
        ? [
            `das Passwort Ihres Kontos bei ${tenant} wurde am ${at} geändert. Auf Ihren anderen Geräten wurden Sie abgemeldet.`,
          ]
        : [
            `für Ihr Konto bei ${tenant} wurde am ${at} ein neues Passwort festgelegt. Sie wurden auf allen Geräten abgemeldet.`,
          ],
      action: '',
      after: isOwn
        ? [
            `Wenn Sie das nicht waren, wählen Sie auf der Anmeldeseite „Passwort vergessen?“, legen Sie ein neues Passwort fest und informieren Sie ${tenant}.`,
          ]
        : [`Wenn Sie das nicht erwartet haben, wenden Sie sich an ${tenant}.`],
    }),
    passkey_added: ({ tenant, name, at }) => ({
      subject: `Zu Ihrem Konto bei ${tenant} wurde ein Passkey hinzugefügt`,
      greeting: hello(name),
      before: [
        `zu Ihrem Konto bei ${tenant} wurde am ${at} ein Passkey hinzugefügt. Ab jetzt wird bei der Anmeldung ein Passkey verlangt.`,
      ],
      action: '',
      after: [
        `Wenn Sie das nicht waren, benutzt möglicherweise jemand anderes Ihr Konto. Informieren Sie sofort ${tenant}.`,
      ],
    }),
    passkey_removed: ({ tenant, name, at, isOwn, isAll }) => ({
      subject: isAll
        ? `Aus Ihrem Konto bei ${tenant} wurden alle Passkeys entfernt`
        : `Aus Ihrem Konto bei ${tenant} wurde ein Passkey entfernt`,
      greeting: hello(name),
      before: [
        isAll
          ? `aus Ihrem Konto bei ${tenant} wurden am ${at} alle Passkeys entfernt. Sie wurden auf allen Geräten abgemeldet.`
          : `aus Ihrem Konto bei ${tenant} wurde am ${at} ein Passkey entfernt. Auf Ihren anderen Geräten wurden Sie abgemeldet.`,
      ],
      action: '',
      after: isOwn
        ? [
            `Wenn Sie das nicht waren, benutzt möglicherweise jemand anderes Ihr Konto. Informieren Sie sofort ${tenant}.`,
          ]
        : [`Wenn Sie das nicht erwartet haben, wenden Sie sich an ${tenant}.`],
    }),
    test: ({ tenant, name }) => ({
      subject: `Test-E-Mail von ${tenant}`,
      greeting: hello(name),
      before: [`E-Mails von ${tenant} kommen bei Ihnen an. Ein Administrator hat diesen Test angefordert.`],
      action: '',
      after: [],
    }),
  },
};
