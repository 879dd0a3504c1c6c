/** The part of a pending delivery that a node keeps in memory. Its event is read when it is sent. */
export type Waiting = {
  deliveryId: string;
  number: number;
  eventId: string;
  isReplay: boolean;
  /** Identifies its queue: the enrolment, or the user for events without one. */
  lane: string;
  attempts: number;
  first: Date | null;
  next: Date | null;
};

export type DeliveryQueues = {
  size: number;
  add: (waiting: Waiting) => void;
  /** Takes the first delivery that is due in a queue without one in progress, and marks it as in progress. */
  take: (now: Date) => Waiting | null;
  /** Ends the delivery, so the next one in its queue may start. */
  done: (waiting: Waiting) => void;
  /** Puts the delivery back after an attempt. It waits until `waiting.next`. */
  release: (waiting: Waiting) => void;
  /** Whether `take` would find a delivery. */
  isDue: (now: Date) => boolean;
  /** When the next queue is due; null if none is waiting. */
  wakeAt: (now: Date) => Date | null;
  /** Makes all waiting deliveries due now. */
  makeAllDue: () => void;
};

/** Deliveries in queues: sequential within a queue, independent across queues. */
export function openDeliveryQueues(): DeliveryQueues {
  const queues = new Map<string, Waiting[]>();
  /** Queues whose first delivery may be due now. */
  const ready: string[] = [];
  /** Queues whose first delivery is not due yet. */
  const sleeping = new Map<string, Date>();
  let size = 0;

  const wake = (key: string) => {
    const head = queues.get(key)?.[0];
    if (!head) queues.delete(key);
    else if (head.next) sleeping.set(key, head.next);
    else ready.push(key);
  };
  const wakeDue = (now: Date) => {
    for (const [key, at] of sleeping)
      if (at <= now) {
        sleeping.delete(key);
        ready.push(key);
      }
  };

  return {
    get size() {
      return size;
    },
    add(waiting) {
      size++;
      const own = queues.get(waiting.lane);
      if (own) own.push(waiting);
      else {
        queues.set(waiting.lane, [waiting]);
        wake(waiting.lane);
      }
    },
    take(now) {
      wakeDue(now);
      const key = ready.shift();
      return (key !== undefined && queues.get(key)?.[0]) || null;
    },
    done(waiting) {
      size--;
      queues.get(waiting.lane)?.shift();
      wake(waiting.lane);
    },
    release(waiting) {
      queues.get(waiting.lane)?.splice(0, 1, waiting);
      wake(waiting.lane);
    },
    isDue(now) {
      wakeDue(now);
      return ready.length > 0;
    },
    makeAllDue() {
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
