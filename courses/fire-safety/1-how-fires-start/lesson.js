(() => {
  const state = { taken: [], spots: [] };
  const spots = [...document.querySelectorAll('.spot')];
  const dangers = spots.filter((spot) => spot.dataset.danger);
  const pills = [...document.querySelectorAll('[data-take]')];
  const names = { heat: 'heat', fuel: 'fuel', oxygen: 'oxygen' };
  const because = {
    heat: 'Without heat, the fire goes out. Water takes the heat away.',
    fuel: 'Without fuel, the fire goes out. That is why an empty corridor does not burn.',
    oxygen: 'Without oxygen, the fire goes out. A lid or a fire blanket keeps the air away.',
  };

  function showTriangle() {
    for (const pill of pills)
      pill.setAttribute('aria-pressed', String(state.taken.includes(pill.dataset.take)));
    for (const side of document.querySelectorAll('.side')) {
      side.classList.toggle('gone', state.taken.includes(side.dataset.side));
    }
    document.getElementById('triangle').classList.toggle('out', state.taken.length > 0);
    const last = state.taken.at(-1);
    document.getElementById('triangle-text').textContent = last ? because[last] : 'The fire is burning.';
  }

  function showSpot(spot) {
    spot.dataset.verdict = spot.dataset.danger ? 'danger' : 'safe';
  }

  const found = () => dangers.filter((spot) => state.spots.includes(spot.dataset.spot)).length;
  const count = () => `${found()} of ${dangers.length} found`;

  const lesson = FireSafety.startLesson({
    snapshot: () => state,
    restore(kept) {
      state.taken = (kept.taken ?? []).filter((name) => names[name]);
      state.spots = kept.spots ?? [];
      for (const spot of spots) if (state.spots.includes(spot.dataset.spot)) showSpot(spot);
      document.getElementById('office-text').textContent = count();
      showTriangle();
    },
  });

  for (const pill of pills) {
    pill.addEventListener('click', () => {
      const name = pill.dataset.take;
      const isTaken = state.taken.includes(name);
      state.taken = isTaken ? state.taken.filter((item) => item !== name) : [...state.taken, name];
      showTriangle();
    });
  }

  for (const spot of spots) {
    spot.addEventListener('click', () => {
      const isNew = !state.spots.includes(spot.dataset.spot);
      if (isNew) state.spots.push(spot.dataset.spot);
      showSpot(spot);
      const text = spot.dataset.danger ?? spot.dataset.safe;
      document.getElementById('office-text').textContent = `${text} ${count()}.`;
      if (isNew && spot.dataset.danger && found() === dangers.length) {
        const right = dangers.map((item) => item.dataset.spot);
        lesson.interaction({
          id: 'exercise-office',
          description: 'Find the four dangers in the office',
          response: state.spots.join('[,]'),
          right: right.join('[,]'),
          isRight: state.spots.length === right.length,
        });
      }
      lesson.save();
    });
  }
})();
