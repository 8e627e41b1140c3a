import type { Notifier } from '@renderkit/server-kit/db/notify.ts';
import type { Deliveries } from '../../webhooks/deliveries/start-deliveries.ts';
import type { WokenAccounts } from '../dispatch/woken-accounts.ts';
import type { Subscriptions } from '../follow/subscriptions.ts';
import type { LiveGenerations } from '../live/live-generations.ts';
import type { LongPolls } from '../live/long-polls.ts';
import { isFinal } from './status.ts';
import type { Transitioned } from './transition-store.ts';

export type AnnouncerOptions = {
  longPolls: LongPolls;
  live: Pick<LiveGenerations, 'wake'>;
  /** Wakes the long polls of other processes. */
  notifier: Notifier;
  /** Wakes, in other processes, the streams of generations that have not ended. */
  movedNotifier: Pick<Notifier, 'announce'>;
  /** Wakes, in every process, the readers of an account's events. */
  eventNotifier: Pick<Notifier, 'announce'>;
  wokenAccounts: WokenAccounts;
  subscriptions: Subscriptions;
  deliveries: Pick<Deliveries, 'announce'>;
};

/** Announces committed transitions to the parts of the service that depend on them. */
export class TransitionAnnouncer {
  readonly #options: AnnouncerOptions;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
  }

  announce(made: readonly Transitioned[]): void {
    const { longPolls, live, notifier, movedNotifier, wokenAccounts, subscriptions, deliveries } =
      this.#options;
    const ended = made.filter(({ to_status: status }) => isFinal(status));
    longPolls.wake(
      ended.map(({ id }) => id),
      ended.map(({ text }) => text),
    );
    live.wake(made.map(({ id }) => id));
    for (const { id, account_id: accountId } of ended) {
      notifier.announce(id);
      wokenAccounts.wake(accountId);
    }
    for (const { id, to_status: status } of made) if (!isFinal(status)) movedNotifier.announce(id);
    for (const { watching, account_id: accountId } of made) if (watching) subscriptions.subscribe(accountId);
    this.announceEvents(made.map(({ account_id: accountId }) => accountId));
    deliveries.announce(made.flatMap((one) => (one.deliveries > 0 ? [one.account_id] : [])));
  }

  /** Announces that these accounts have new events. */
  announceEvents(accountIds: readonly string[]): void {
    for (const accountId of accountIds) this.#options.eventNotifier.announce(accountId);
  }
}
