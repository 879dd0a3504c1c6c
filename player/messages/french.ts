import type { Messages } from './english.ts';

export const french: Messages = {
  labels: {
    skip: 'Aller au cours',
    contents: 'Sommaire',
    closeContents: 'Fermer le sommaire',
    steps: 'Parties du cours',
    previous: 'Précédent',
    next: 'Suivant',
    exit: 'Quitter',
    newWindow: 'Nouvelle fenêtre',
    fullScreen: 'Plein écran',
    fitWidth: 'Ajuster à la largeur',
    progress: 'Progression dans le cours',
    opening: 'Ouverture du cours…',
    endAttempt: 'Terminer la tentative',
  },
  saveStates: {
    saved: 'Enregistré',
    partly: 'Résultats enregistrés, mais peut-être pas votre position dans le cours',
    saving: 'Enregistrement…',
    onDevice: 'Enregistré sur cet appareil, pas encore envoyé',
    unsaved: 'Non enregistré : pas de connexion',
    refused: 'Certains résultats n’ont pas été acceptés',
  },
  unitStates: {
    none: 'Non commencé',
    incomplete: 'En cours',
    completed: 'Terminé',
    passed: 'Réussi',
    failed: 'Non réussi',
  },
  locked: 'Pas encore disponible',
  reasons: {
    prerequisites: 'Terminez d’abord les parties précédentes.',
    lastActivity: 'C’est la dernière partie.',
    firstActivity: 'C’est la première partie.',
    sessionNotBegun: 'Choisissez d’abord une partie dans le sommaire.',
    sessionAlreadyBegun: 'Le cours est déjà ouvert.',
    nothingSuspended: 'Il n’y a rien à reprendre.',
    nothingOpen: 'Aucune partie n’est ouverte actuellement.',
    stillOpen: 'Une autre partie est encore ouverte.',
    unknownActivity: 'Cette partie n’existe pas dans le cours.',
    notSelected: 'Cette partie n’a pas été retenue pour cette tentative.',
    choiceOff: 'Les parties de cette section s’ouvrent dans l’ordre.',
    flowOff: 'Choisissez la partie suivante dans le sommaire.',
    forwardOnly: 'Vous ne pouvez pas revenir en arrière dans cette section.',
    choiceExitOff: 'Terminez la partie actuelle avant d’en choisir une autre.',
    preventActivation: 'Cette partie n’est accessible que depuis sa propre section.',
    constrainChoice: 'D’ici, seules les sections voisines peuvent être ouvertes.',
    hiddenFromChoice: 'Cette partie ne peut pas être choisie pour le moment.',
    stopForwardTraversal: 'Une partie précédente doit d’abord être terminée.',
    disabled: 'Les conditions de cette partie ne sont pas encore remplies.',
    attemptLimit: 'Toutes les tentatives autorisées ont été utilisées.',
    durationLimit: 'Le temps autorisé est épuisé.',
    noChildren: 'Il n’y a rien à ouvrir dans cette section.',
    notALeaf: 'Il n’y a rien à ouvrir dans cette section.',
    noParent: 'Il n’y a pas d’autre partie.',
  },
  exitEnds:
    'Quitter le cours met fin à cette tentative. La prochaine fois, le cours recommencera depuis le début.',
  timeUp: {
    title: 'Le temps est écoulé',
    left: (unit) => `Le temps prévu pour « ${unit} » est écoulé. Vos résultats sont enregistrés.`,
    leave: 'Quitter le cours',
    goesOn: (unit) => `Le temps prévu pour « ${unit} » est écoulé. Vous pouvez continuer.`,
    goOn: 'Continuer',
  },
  endAttempt: {
    title: 'Terminer cette tentative ?',
    text: 'Vos résultats sont enregistrés. La prochaine fois, le cours recommencera depuis le début. Pour reprendre plus tard à cet endroit, utilisez plutôt « Quitter ».',
    confirm: 'Terminer la tentative',
    cancel: 'Continuer le cours',
  },
  position: (at, count) => `${at} sur ${count}`,
  finished: {
    notCompleted: 'Vous n’avez pas encore terminé cette partie.',
    notPassed: 'Vous n’avez pas réussi cette partie.',
    unit: 'Vous avez terminé cette partie.',
    lastUnit: 'Vous avez terminé cette partie. D’autres parties ne sont pas encore terminées.',
    course: 'Vous avez terminé. Vous pouvez maintenant quitter le cours.',
  },
  chooseUnit: {
    title: 'Que souhaitez-vous faire ensuite ?',
    text: 'Choisissez une partie dans le sommaire ou quittez le cours. Votre progression est enregistrée.',
  },
  missing: (title) => ({
    title: `Impossible d’ouvrir « ${title} »`,
    text: 'La page est absente du cours. Passez à une autre partie et prévenez votre administrateur.',
    unreachable: 'La page n’a pas pu être chargée. Vérifiez votre connexion et réessayez.',
  }),
  tryAgain: 'Réessayer',
  openAnyway: 'Ouvrir quand même',
  confirmation: {
    label: 'Votre nom',
    action: 'Confirmer',
    done: (name: string, time: string) => `Confirmé par ${name} le ${time}`,
  },
  captions: 'Sous-titres',
  pageOf: (page: number, count: number) => `Page ${page} sur ${count}`,
  markComplete: 'Marquer comme terminé',
  markedComplete: 'Terminé',
  leaving: 'Enregistrement de votre progression…',
  ownWindow: {
    title: (title: string) => `« ${title} » s’ouvre dans une fenêtre séparée`,
    text: 'Gardez cette page ouverte. Votre progression s’y affiche à votre retour.',
    unseen:
      'Si aucune fenêtre ne s’est ouverte, autorisez les fenêtres pop-up pour cette page et réessayez. Votre progression s’affiche ici.',
    action: 'Ouvrir la fenêtre',
  },
  moveOns: {
    NotApplicable: 'Facultatif',
    Passed: 'À réussir',
    Completed: 'À terminer',
    CompletedAndPassed: 'À terminer et à réussir',
    CompletedOrPassed: 'À terminer ou à réussir',
  },
  framed: {
    title: 'Ouvrir le cours dans sa propre fenêtre',
    text: 'Votre navigateur ne permet pas au cours d’enregistrer quoi que ce soit dans cette page. Certaines parties risquent de ne pas fonctionner et, sans connexion, votre progression ne peut pas être conservée.',
    action: 'Ouvrir dans une fenêtre',
    stay: 'Continuer ici',
    openedTitle: 'Le cours est ouvert dans sa propre fenêtre',
    openedText: 'Vous pourrez fermer cette page quand vous aurez terminé.',
  },
  refused: 'Ce cours ne peut pas être ouvert',
  unreachable: {
    title: 'Pas de connexion',
    text: 'Le cours est inaccessible. Vérifiez votre connexion et réessayez. Votre progression est conservée sur cet appareil.',
  },
  broken: {
    title: 'Le cours n’a pas pu démarrer',
    text: 'Une erreur s’est produite à l’ouverture du cours. Réessayez.',
  },
  back: 'Retour',
  ends: {
    session_superseded: {
      title: 'Ce cours a été ouvert dans une autre fenêtre',
      text: 'Continuez dans cette fenêtre ou reprenez le cours ici.',
      action: 'Reprendre ici',
    },
    session_ended: {
      title: 'Cette session est terminée',
      text: 'Rouvrez le cours pour reprendre là où vous en étiez.',
      action: 'Rouvrir le cours',
    },
    access_expired: {
      title: 'Votre accès à ce cours a expiré',
      text: 'Demandez à votre administrateur de le prolonger.',
      action: null,
    },
    enrolment_withdrawn: {
      title: 'Votre inscription a été annulée',
      text: 'Demandez à votre administrateur de vous réinscrire.',
      action: null,
    },
    user_disabled: {
      title: 'Votre compte est désactivé',
      text: 'Demandez à votre administrateur de l’activer.',
      action: null,
    },
    tenant_suspended: {
      title: 'L’accès est actuellement suspendu',
      text: 'Réessayez plus tard ou contactez votre administrateur.',
      action: null,
    },
  },
  lastSteps: {
    saved: 'Votre progression est enregistrée.',
    onDevice:
      'Votre progression est conservée sur cet appareil. Elle sera envoyée la prochaine fois que vous ouvrirez un cours depuis le même endroit dans ce navigateur.',
    lost: 'Votre dernière progression n’a pas pu être enregistrée.',
    refused: 'Certains de vos résultats n’ont pas été acceptés.',
  },
  rejectedTitle: 'Votre dernière progression n’a pas pu être ajoutée',
  rejections: {
    enrolment_withdrawn:
      'Votre inscription a été annulée. Demandez à votre administrateur de vous réinscrire.',
    user_disabled: 'Votre compte est désactivé. Demandez à votre administrateur de l’activer.',
    results_too_late: 'La session est terminée depuis trop longtemps.',
    session_exited: 'Vous aviez déjà quitté le cours.',
    enrolment_erased: 'Vos données ont été effacées.',
    validation_failed: 'Le service n’a pas pu la traiter.',
  },
  unknownSession: 'Elle date de plus de 30 jours et le service ne trouve aucune trace de cette session.',
  droppedTitle: 'Une partie de votre progression précédente n’a pas pu être ajoutée',
  dropped: (title, refusal) => `« ${title} » : ${refusal}`,
  leftTitle: 'Une partie de votre progression précédente n’a pas pu être envoyée',
  left: (titles) =>
    `Cet appareil conserve votre progression pour ${titles.map((title) => `« ${title} »`).join(', ')}. Elle sera envoyée la prochaine fois que vous ouvrirez un cours depuis le même endroit dans ce navigateur.`,
  understood: 'Continuer',
  end: {
    saved: 'Votre progression est enregistrée',
    onDevice: 'Votre progression est conservée sur cet appareil',
    onDeviceText:
      'Elle n’a pas encore pu être envoyée. Elle le sera la prochaine fois que vous ouvrirez un cours depuis le même endroit dans ce navigateur.',
    lost: 'Votre dernière progression n’a pas pu être enregistrée',
    refused: 'Certains de vos résultats n’ont pas été acceptés',
    refusedText:
      'Le cours a transmis des données qui n’ont pas pu être enregistrées. Prévenez votre administrateur : il peut en voir la raison.',
    lostText:
      'Il n’y a pas de connexion et ce navigateur ne permet pas au cours de conserver votre progression. Revenez en arrière et réessayez.',
    close: 'Vous pouvez fermer cette fenêtre.',
    again: 'Rouvrir le cours',
    status: 'Statut',
    result: 'Résultat',
    score: 'Score',
    progress: 'Progression',
    time: 'Durée de cette session',
    results: { passed: 'Réussi', failed: 'Non réussi', completed: 'Cours terminé' },
    mayRepeat:
      'Vos réponses sont enregistrées. S’il vous reste des tentatives, vous pouvez rouvrir le cours.',
  },
  certificate: {
    title: 'Votre certificat est prêt.',
    download: 'Télécharger le certificat',
    linkedIn: 'Ajouter à LinkedIn',
    check: 'Ouvrir la page de vérification',
    failed: 'Le certificat n’a pas pu être téléchargé. Réessayez dans un instant.',
  },
  completions: { unknown: 'Commencé', incomplete: 'En cours', completed: 'Terminé' },
  successes: { passed: 'Réussi', failed: 'Non réussi' },
  percent: (value) => `${Math.round(value)} %`,
  duration(seconds) {
    if (seconds < 60) return `${seconds} s`;
    const minutes = Math.round(seconds / 60);
    return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  },
};

export const frenchPreview: Partial<Messages> = {
  saveStates: {
    saved: 'Aperçu : rien n’est enregistré',
    partly: 'Aperçu : rien n’est enregistré',
    saving: 'Aperçu : rien n’est enregistré',
    onDevice: 'Aperçu : pas de connexion',
    unsaved: 'Aperçu : pas de connexion',
    refused: 'Aperçu ',
  },
  chooseUnit: {
    title: french.chooseUnit.title,
    text: 'Choisissez une partie dans le sommaire ou quittez le cours.',
  },
  leaving: 'Fermeture de l’aperçu…',
  ends: {
    ...french.ends,
    session_ended: {
      title: 'Cet aperçu est terminé',
      text: 'Un aperçu dure deux heures. Lancez-en un nouveau depuis la page où vous avez lancé celui-ci.',
      action: null,
    },
  },
  lastSteps: {
    saved: 'Rien n’a été enregistré.',
    onDevice: 'Rien n’a été enregistré.',
    lost: 'Rien n’a été enregistré.',
    refused: 'Rien n’a été enregistré.',
  },
  end: {
    ...french.end,
    saved: 'C’était un aperçu',
    onDevice: 'C’était un aperçu',
    onDeviceText: 'Rien n’a été enregistré. Vous pouvez fermer cette fenêtre.',
    lost: 'C’était un aperçu',
    refused: 'C’était un aperçu',
    refusedText: 'Rien n’a été enregistré. Vous pouvez fermer cette fenêtre.',
    lostText: 'Rien n’a été enregistré. Vous pouvez fermer cette fenêtre.',
    close:
      'Rien n’a été enregistré. Un apprenant aurait obtenu ce résultat. Vous pouvez fermer cette fenêtre.',
    again: 'Relancer l’aperçu',
  },
};

/** Texts that differ in a review. */
export const frenchReview: Partial<Messages> = {
  saveStates: {
    saved: 'Consultation : votre résultat ne change pas',
    partly: 'Consultation : votre résultat ne change pas',
    saving: 'Consultation : votre résultat ne change pas',
    onDevice: 'Consultation : pas de connexion',
    unsaved: 'Consultation : pas de connexion',
    refused: 'Consultation ',
  },
  chooseUnit: frenchPreview.chooseUnit ?? french.chooseUnit,
  leaving: 'Fermeture du cours…',
  ends: {
    ...french.ends,
    session_ended: {
      title: 'Cette consultation est terminée',
      text: 'Une consultation dure deux heures. Ouvrez de nouveau le cours depuis la page où vous l’avez trouvé.',
      action: null,
    },
  },
  lastSteps: frenchPreview.lastSteps ?? french.lastSteps,
  end: {
    ...french.end,
    saved: 'Vous avez revu le cours',
    onDevice: 'Vous avez revu le cours',
    onDeviceText: 'Votre résultat n’a pas changé. Vous pouvez fermer cette fenêtre.',
    lost: 'Vous avez revu le cours',
    refused: 'Vous avez revu le cours',
    refusedText: 'Votre résultat n’a pas changé. Vous pouvez fermer cette fenêtre.',
    lostText: 'Votre résultat n’a pas changé. Vous pouvez fermer cette fenêtre.',
    close: 'Votre résultat n’a pas changé. Vous pouvez fermer cette fenêtre.',
    again: 'Revoir le cours',
  },
};
