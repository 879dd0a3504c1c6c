import type { Messages } from './english.ts';

export const german: Messages = {
  labels: {
    skip: 'Zum Kurs springen',
    contents: 'Inhalt',
    closeContents: 'Inhalt schließen',
    steps: 'Teile des Kurses',
    previous: 'Zurück',
    next: 'Weiter',
    exit: 'Beenden',
    newWindow: 'Neues Fenster',
    fullScreen: 'Vollbild',
    fitWidth: 'An Breite anpassen',
    progress: 'Fortschritt im Kurs',
    opening: 'Der Kurs wird geöffnet …',
    endAttempt: 'Versuch abschließen',
  },
  saveStates: {
    saved: 'Gespeichert',
    partly: 'Ergebnisse gespeichert, aber vielleicht nicht Ihre Stelle im Kurs',
    saving: 'Wird gespeichert …',
    onDevice: 'Auf diesem Gerät gespeichert, noch nicht gesendet',
    unsaved: 'Nicht gespeichert: keine Verbindung',
    refused: 'Einige Ergebnisse wurden nicht angenommen',
  },
  unitStates: {
    none: 'Nicht begonnen',
    incomplete: 'In Bearbeitung',
    completed: 'Abgeschlossen',
    passed: 'Bestanden',
    failed: 'Nicht bestanden',
  },
  locked: 'Noch nicht verfügbar',
  reasons: {
    prerequisites: 'Schließen Sie zuerst die früheren Teile ab.',
    lastActivity: 'Dies ist der letzte Teil.',
    firstActivity: 'Dies ist der erste Teil.',
    sessionNotBegun: 'Wählen Sie zuerst einen Teil im Inhaltsverzeichnis.',
    sessionAlreadyBegun: 'Der Kurs ist bereits geöffnet.',
    nothingSuspended: 'Es gibt nichts fortzusetzen.',
    nothingOpen: 'Zurzeit ist kein Teil geöffnet.',
    stillOpen: 'Ein anderer Teil ist noch geöffnet.',
    unknownActivity: 'Diesen Teil gibt es im Kurs nicht.',
    notSelected: 'Dieser Teil wurde für diesen Versuch nicht ausgewählt.',
    choiceOff: 'Die Teile dieses Abschnitts werden der Reihe nach geöffnet.',
    flowOff: 'Wählen Sie den nächsten Teil im Inhaltsverzeichnis.',
    forwardOnly: 'In diesem Abschnitt können Sie nicht zurückgehen.',
    choiceExitOff: 'Schließen Sie den aktuellen Teil ab, bevor Sie einen anderen wählen.',
    preventActivation: 'Dieser Teil ist nur innerhalb seines Abschnitts erreichbar.',
    constrainChoice: 'Von hier aus lassen sich nur die benachbarten Abschnitte öffnen.',
    hiddenFromChoice: 'Dieser Teil kann im Moment nicht gewählt werden.',
    stopForwardTraversal: 'Zuerst muss ein früherer Teil abgeschlossen werden.',
    disabled: 'Die Bedingungen für diesen Teil sind noch nicht erfüllt.',
    attemptLimit: 'Alle erlaubten Versuche sind aufgebraucht.',
    durationLimit: 'Die erlaubte Zeit ist aufgebraucht.',
    noChildren: 'In diesem Abschnitt gibt es nichts zu öffnen.',
    notALeaf: 'In diesem Abschnitt gibt es nichts zu öffnen.',
    noParent: 'Es gibt keine weiteren Teile.',
  },
  exitEnds: 'Mit dem Verlassen endet dieser Versuch. Beim nächsten Mal beginnt der Kurs von vorn.',
  timeUp: {
    title: 'Die Zeit ist um',
    left: (unit) => `Die Zeit für „${unit}“ ist abgelaufen. Ihre Ergebnisse sind gespeichert.`,
    leave: 'Kurs verlassen',
    goesOn: (unit) => `Die Zeit für „${unit}“ ist abgelaufen. Sie können weitermachen.`,
    goOn: 'Weitermachen',
  },
  endAttempt: {
    title: 'Diesen Versuch abschließen?',
    text: 'Ihre Ergebnisse sind gespeichert. Beim nächsten Mal beginnt der Kurs von vorn. Wenn Sie später an dieser Stelle weitermachen möchten, wählen Sie stattdessen „Beenden“.',
    confirm: 'Versuch abschließen',
    cancel: 'Weitermachen',
  },
  position: (at, count) => `${at} von ${count}`,
  finished: {
    notCompleted: 'Sie haben diesen Teil noch nicht abgeschlossen.',
    notPassed: 'Sie haben diesen Teil nicht bestanden.',
    unit: 'Sie haben diesen Teil abgeschlossen.',
    lastUnit: 'Sie haben diesen Teil abgeschlossen. Andere Teile sind noch nicht abgeschlossen.',
    course: 'Sie sind fertig und können den Kurs jetzt verlassen.',
  },
  chooseUnit: {
    title: 'Wie möchten Sie fortfahren?',
    text: 'Wählen Sie einen Teil im Inhaltsverzeichnis oder verlassen Sie den Kurs. Ihr bisheriger Fortschritt ist gespeichert.',
  },
  missing: (title) => ({
    title: `„${title}“ konnte nicht geöffnet werden`,
    text: 'Die Seite fehlt im Kurs. Fahren Sie mit einem anderen Teil fort und informieren Sie Ihre Administration.',
    unreachable:
      'Die Seite konnte nicht geladen werden. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
  }),
  tryAgain: 'Erneut versuchen',
  openAnyway: 'Trotzdem öffnen',
  confirmation: {
    label: 'Ihr Name',
    action: 'Bestätigen',
    done: (name: string, time: string) => `Bestätigt von ${name} am ${time}`,
  },
  captions: 'Untertitel',
  pageOf: (page: number, count: number) => `Seite ${page} von ${count}`,
  markComplete: 'Als abgeschlossen markieren',
  markedComplete: 'Abgeschlossen',
  leaving: 'Ihr Fortschritt wird gespeichert …',
  ownWindow: {
    title: (title: string) => `„${title}“ wird in einem eigenen Fenster geöffnet`,
    text: 'Lassen Sie diese Seite geöffnet. Hier sehen Sie Ihren Fortschritt, wenn Sie zurückkommen.',
    unseen:
      'Wenn sich kein Fenster geöffnet hat, erlauben Sie Pop-up-Fenster für diese Seite, und versuchen Sie es noch einmal. Ihr Fortschritt wird hier angezeigt.',
    action: 'Fenster öffnen',
  },
  moveOns: {
    NotApplicable: 'Freiwillig',
    Passed: 'Muss bestanden werden',
    Completed: 'Muss abgeschlossen werden',
    CompletedAndPassed: 'Muss abgeschlossen und bestanden werden',
    CompletedOrPassed: 'Muss abgeschlossen oder bestanden werden',
  },
  framed: {
    title: 'Kurs in einem eigenen Fenster öffnen',
    text: 'Ihr Browser lässt den Kurs innerhalb dieser Seite nichts speichern. Teile des Kurses funktionieren dann möglicherweise nicht, und ohne Verbindung kann Ihr Fortschritt nicht gespeichert werden.',
    action: 'In eigenem Fenster öffnen',
    stay: 'Hier fortfahren',
    openedTitle: 'Der Kurs ist in einem eigenen Fenster geöffnet',
    openedText: 'Sie können diese Seite schließen, wenn Sie dort fertig sind.',
  },
  refused: 'Dieser Kurs kann nicht geöffnet werden',
  unreachable: {
    title: 'Keine Verbindung',
    text: 'Der Kurs ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut. Ihr Fortschritt bleibt auf diesem Gerät gespeichert.',
  },
  broken: {
    title: 'Der Kurs konnte nicht gestartet werden',
    text: 'Beim Öffnen des Kurses ist ein Fehler aufgetreten. Versuchen Sie es erneut.',
  },
  back: 'Zurück',
  ends: {
    session_superseded: {
      title: 'Dieser Kurs wurde in einem anderen Fenster geöffnet',
      text: 'Machen Sie dort weiter oder übernehmen Sie den Kurs hier.',
      action: 'Hier übernehmen',
    },
    session_ended: {
      title: 'Diese Sitzung ist beendet',
      text: 'Öffnen Sie den Kurs erneut, um dort weiterzumachen, wo Sie aufgehört haben.',
      action: 'Kurs erneut öffnen',
    },
    access_expired: {
      title: 'Ihr Zugang zu diesem Kurs ist abgelaufen',
      text: 'Bitten Sie Ihre Administration, ihn zu verlängern.',
      action: null,
    },
    enrolment_withdrawn: {
      title: 'Ihre Einschreibung wurde zurückgezogen',
      text: 'Bitten Sie Ihre Administration, Sie erneut einzuschreiben.',
      action: null,
    },
    user_disabled: {
      title: 'Ihr Konto ist deaktiviert',
      text: 'Bitten Sie Ihre Administration, es wieder zu aktivieren.',
      action: null,
    },
    tenant_suspended: {
      title: 'Der Zugang ist zurzeit gesperrt',
      text: 'Versuchen Sie es später erneut oder fragen Sie Ihre Administration.',
      action: null,
    },
  },
  lastSteps: {
    saved: 'Ihr bisheriger Fortschritt ist gespeichert.',
    onDevice:
      'Ihr Fortschritt ist auf diesem Gerät gespeichert. Er wird gesendet, wenn Sie in diesem Browser an derselben Stelle das nächste Mal einen Kurs öffnen.',
    lost: 'Ihr letzter Fortschritt konnte nicht gespeichert werden.',
    refused: 'Einige Ihrer Ergebnisse wurden nicht angenommen.',
  },
  rejectedTitle: 'Ihr letzter Fortschritt konnte nicht übernommen werden',
  rejections: {
    enrolment_withdrawn:
      'Ihre Einschreibung wurde zurückgezogen. Bitten Sie Ihre Administration, Sie erneut einzuschreiben.',
    user_disabled: 'Ihr Konto ist deaktiviert. Bitten Sie Ihre Administration, es wieder zu aktivieren.',
    results_too_late: 'Die Sitzung ist schon zu lange beendet.',
    session_exited: 'Sie hatten den Kurs bereits verlassen.',
    enrolment_erased: 'Ihre Daten wurden gelöscht.',
    validation_failed: 'Der Dienst konnte ihn nicht verarbeiten.',
  },
  unknownSession: 'Er ist mehr als 30 Tage alt, und der Dienst kennt diese Sitzung nicht mehr.',
  droppedTitle: 'Ein Teil Ihres früheren Fortschritts konnte nicht übernommen werden',
  dropped: (title, refusal) => `„${title}“: ${refusal}`,
  leftTitle: 'Ein Teil Ihres früheren Fortschritts konnte nicht gesendet werden',
  left: (titles) =>
    `Auf diesem Gerät ist Fortschritt für ${titles.map((title) => `„${title}“`).join(', ')} gespeichert. Er wird gesendet, wenn Sie in diesem Browser an derselben Stelle das nächste Mal einen Kurs öffnen.`,
  understood: 'Weiter',
  end: {
    saved: 'Ihr Fortschritt ist gespeichert',
    onDevice: 'Ihr Fortschritt ist auf diesem Gerät gespeichert',
    onDeviceText:
      'Er konnte noch nicht gesendet werden. Er wird gesendet, wenn Sie in diesem Browser an derselben Stelle das nächste Mal einen Kurs öffnen.',
    lost: 'Ihr letzter Fortschritt konnte nicht gespeichert werden',
    refused: 'Einige Ihrer Ergebnisse wurden nicht angenommen',
    refusedText:
      'Der Kurs hat etwas gemeldet, das nicht aufgezeichnet werden konnte. Informieren Sie Ihren Administrator: Er kann den Grund sehen.',
    lostText:
      'Es besteht keine Verbindung, und dieser Browser erlaubt dem Kurs nicht, den Fortschritt zu speichern. Gehen Sie zurück und versuchen Sie es erneut.',
    close: 'Sie können dieses Fenster schließen.',
    again: 'Kurs erneut öffnen',
    status: 'Status',
    result: 'Ergebnis',
    score: 'Punktzahl',
    progress: 'Fortschritt',
    time: 'Zeit in dieser Sitzung',
    results: { passed: 'Bestanden', failed: 'Nicht bestanden', completed: 'Kurs abgeschlossen' },
    mayRepeat:
      'Ihre Antworten sind gespeichert. Wenn Sie noch Versuche haben, können Sie den Kurs erneut öffnen.',
  },
  certificate: {
    title: 'Ihr Zertifikat ist fertig.',
    download: 'Zertifikat herunterladen',
    linkedIn: 'Zu LinkedIn hinzufügen',
    check: 'Prüfseite öffnen',
    failed: 'Das Zertifikat konnte nicht heruntergeladen werden. Versuchen Sie es gleich noch einmal.',
  },
  completions: { unknown: 'Begonnen', incomplete: 'In Bearbeitung', completed: 'Abgeschlossen' },
  successes: { passed: 'Bestanden', failed: 'Nicht bestanden' },
  percent: (value) => `${Math.round(value)} %`,
  duration(seconds) {
    if (seconds < 60) return `${seconds} s`;
    const minutes = Math.round(seconds / 60);
    return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  },
};

export const germanPreview: Partial<Messages> = {
  saveStates: {
    saved: 'Vorschau: Es wird nichts aufgezeichnet',
    partly: 'Vorschau: Es wird nichts aufgezeichnet',
    saving: 'Vorschau: Es wird nichts aufgezeichnet',
    onDevice: 'Vorschau: keine Verbindung',
    unsaved: 'Vorschau: keine Verbindung',
    refused: 'Vorschau',
  },
  chooseUnit: {
    title: german.chooseUnit.title,
    text: 'Wählen Sie einen Teil im Inhaltsverzeichnis oder verlassen Sie den Kurs.',
  },
  leaving: 'Die Vorschau wird beendet …',
  ends: {
    ...german.ends,
    session_ended: {
      title: 'Diese Vorschau ist beendet',
      text: 'Eine Vorschau dauert zwei Stunden. Starten Sie eine neue auf der Seite, auf der Sie diese gestartet haben.',
      action: null,
    },
  },
  lastSteps: {
    saved: 'Es wurde nichts aufgezeichnet.',
    onDevice: 'Es wurde nichts aufgezeichnet.',
    lost: 'Es wurde nichts aufgezeichnet.',
    refused: 'Es wurde nichts aufgezeichnet.',
  },
  end: {
    ...german.end,
    saved: 'Das war eine Vorschau',
    onDevice: 'Das war eine Vorschau',
    onDeviceText: 'Es wurde nichts aufgezeichnet. Sie können dieses Fenster schließen.',
    lost: 'Das war eine Vorschau',
    refused: 'Das war eine Vorschau',
    refusedText: 'Es wurde nichts aufgezeichnet. Sie können dieses Fenster schließen.',
    lostText: 'Es wurde nichts aufgezeichnet. Sie können dieses Fenster schließen.',
    close:
      'Es wurde nichts aufgezeichnet. Lernende hätten dieses Ergebnis erzielt. Sie können dieses Fenster schließen.',
    again: 'Vorschau wiederholen',
  },
};

/** Texts that differ in a review. */
export const germanReview: Partial<Messages> = {
  saveStates: {
    saved: 'Nur ansehen: Ihr Ergebnis bleibt unverändert',
    partly: 'Nur ansehen: Ihr Ergebnis bleibt unverändert',
    saving: 'Nur ansehen: Ihr Ergebnis bleibt unverändert',
    onDevice: 'Nur ansehen: keine Verbindung',
    unsaved: 'Nur ansehen: keine Verbindung',
    refused: 'Nur ansehen',
  },
  chooseUnit: germanPreview.chooseUnit ?? german.chooseUnit,
  leaving: 'Der Kurs wird geschlossen …',
  ends: {
    ...german.ends,
    session_ended: {
      title: 'Hier können Sie den Kurs nicht weiter ansehen',
      text: 'Sie können sich den Kurs jeweils zwei Stunden lang ansehen. Öffnen Sie ihn erneut auf der Seite, auf der Sie ihn gefunden haben.',
      action: null,
    },
  },
  lastSteps: germanPreview.lastSteps ?? german.lastSteps,
  end: {
    ...german.end,
    saved: 'Sie haben sich den Kurs noch einmal angesehen',
    onDevice: 'Sie haben sich den Kurs noch einmal angesehen',
    onDeviceText: 'Ihr Ergebnis hat sich nicht geändert. Sie können dieses Fenster schließen.',
    lost: 'Sie haben sich den Kurs noch einmal angesehen',
    refused: 'Sie haben sich den Kurs noch einmal angesehen',
    refusedText: 'Ihr Ergebnis hat sich nicht geändert. Sie können dieses Fenster schließen.',
    lostText: 'Ihr Ergebnis hat sich nicht geändert. Sie können dieses Fenster schließen.',
    close: 'Ihr Ergebnis hat sich nicht geändert. Sie können dieses Fenster schließen.',
    again: 'Noch einmal ansehen',
  },
};
