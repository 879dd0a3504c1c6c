/** The part of a pending delivery that a node keeps in memory. Its event is read when it is sent. */
export type Waiting = {
  deliveryId: string;
  number: number;
  eventId: string;
  lane: string;
  attempts: number;
  first: Date | null;
  next: Date | null;
};

export type Lanes = {
  size: number;
  add: (waiting: Waiting) => void;
  /** Takes the first delivery that is due in a lane without one in progress, and marks it as in progress. */
  take: (now: Date) => Waiting | null;
  /** Ends the delivery, so that the next one in its lane may start. */
  done: (waiting: Waiting) => void;
  /** Puts the delivery back after an attempt, to wait until `waiting.next`. */
  release: (waiting: Waiting) => void;
  /** Whether `take` would find a delivery. */
  isDue: (now: Date) => boolean;
  /** When the next lane is due; null if none is waiting. */
  wakeAt: (now: Date) => Date | null;
  /** Makes all waiting deliveries due now. */
  hasten: () => void;
};

/** Deliveries in lanes: sequential within a lane, independent across lanes. */
export function openLanes(): Lanes {
  const lanes = new Map<string, Waiting[]>();
  /** Lanes whose first delivery may be due now. */
  const ready: string[] = [];
  /** Lanes whose first delivery is not due yet. */
  const sleeping = new Map<string, Date>();
  let size = 0;

  const wake = (lane: string) => {
    const head = lanes.get(lane)?.[0];
    if (!head) lanes.delete(lane);
    else if (head.next) sleeping.set(lane, head.next);
    else ready.push(lane);
  };
  const wakeDue = (now: Date) => {
    for (const [lane, at] of sleeping)
      if (at <= now) {
        sleeping.delete(lane);
        ready.push(lane);
      }
  };

  return {
    get size() {
      return size;
    },
    add(waiting) {
      size++;
      const lane = lanes.get(waiting.lane);
      if (lane) lane.push(waiting);
      else {
        lanes.set(waiting.lane, [waiting]);
        wake(waiting.lane);
      }
    },
    take(now) {
      wakeDue(now);
      const lane = ready.shift();
      return (lane !== undefined && lanes.get(lane)?.[0]) || null;
    },
    done(waiting) {
      size--;
      lanes.get(waiting.lane)?.shift();
      wake(waiting.lane);
    },
    release(waiting) {
      lanes.get(waiting.lane)?.splice(0, 1, waiting);
      wake(waiting.lane);
    },
    isDue(now) {
      wakeDue(now);
      return ready.length > 0;
    },
    hasten() {
      ready.push(...sleeping.keys());
      sleeping.clear();
    },
    wakeAt(now) {
      if (ready.length > 0) return now;
      let earliest: Date | null = null;
      for (const at of sleeping.values()) if (!earliest || at < earliest) earliest = at;
      return earliest;
    },
  };
}
