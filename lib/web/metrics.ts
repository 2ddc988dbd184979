import { sql } from 'drizzle-orm';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type Database, rows } from '@/lib/db/client';

interface Instruments {
  registry: Registry;
  requests: Counter;
  seconds: Histogram;
  gauges: Record<keyof DatasetFigures, Gauge>;
  attempts: Gauge;
  notices: Gauge;
}

interface DatasetFigures {
  epoch: number;
  sealed: number;
  lag: number;
  buffered: number;
  quarantined: number;
}

const shared = globalThis as typeof globalThis & { interlockMetrics?: Instruments };

/** Once a process: the bundler may evaluate this module several times. */
function instruments(): Instruments {
  shared.interlockMetrics ??= create();
  return shared.interlockMetrics;
}

function create(): Instruments {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string, labelNames: string[] = ['dataset']) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  return {
    registry,
    requests: new Counter({
      name: 'interlock_http_requests_total',
      help: 'Requests to the API by route, method and status.',
      labelNames: ['route', 'method', 'status'],
      registers: [registry],
    }),
    seconds: new Histogram({
      name: 'interlock_http_request_duration_seconds',
      help: 'Time until the API answered, by route and method.',
      labelNames: ['route', 'method'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60],
      registers: [registry],
    }),
    gauges: {
      epoch: gauge('interlock_ingress_epoch', 'Ingress epoch of the dataset.'),
      sealed: gauge('interlock_ingress_sealed', '1 while ingress is sealed.'),
      lag: gauge('interlock_live_lag_seconds', 'Age of the oldest event that is not applied yet.'),
      buffered: gauge(
        'interlock_buffered_events',
        'Events in the log that the active generation has not applied.',
      ),
      quarantined: gauge(
        'interlock_quarantined_events',
        'Events that the active generation could not turn into rows.',
      ),
    },
    attempts: gauge('interlock_running_attempts', 'Attempts that hold a live lease.', []),
    notices: gauge(
      'interlock_notice_deliveries',
      'Deliveries of notices to subscribers that wait, or were given up.',
      ['state'],
    ),
  };
}

export function observeRequest(seen: {
  route: string;
  method: string;
  status: number;
  seconds: number;
}): void {
  const { requests, seconds } = instruments();
  const { route, method, status } = seen;
  requests.inc({ route, method, status: String(status) });
  seconds.observe({ route, method }, seen.seconds);
}

/** All metrics in Prometheus' text format; the gauges are read from the database now. */
export async function metricsText(db: Database): Promise<{ type: string; text: string }> {
  const { registry, gauges, attempts, notices } = instruments();
  const found = await rows<DatasetFigures & { dataset: string }>(
    db,
    sql`select r.dataset, r.epoch, (r.state = 'SEALED')::int as sealed,
        coalesce(behind.lag, 0)::float8 as lag, coalesce(behind.events, 0)::float8 as buffered,
        (select count(*)::float8 from control.quarantine q
          where q.generation = r.active_generation) as quarantined
      from control.registry r
      join control.dataset d on d.name = r.dataset
      left join lateral (
        select sum(s.last_offset - p.offsets[s.shard + 1]) as events,
          greatest(0, extract(epoch from clock_timestamp() - min((
            select e.received_at from control.source_event e
            where e.source = s.source and e.shard = s.shard
              and e."offset" = p.offsets[s.shard + 1] + 1)))) as lag
        from control.generation_progress p
        join control.source_shard s on s.source = d.source
        where p.generation = r.active_generation
      ) behind on true
      where d.fork_of is null`,
  );
  for (const gauge of Object.values(gauges)) gauge.reset();
  for (const { dataset, ...figures } of found) {
    for (const [name, value] of Object.entries(figures)) {
      gauges[name as keyof DatasetFigures].set({ dataset }, value);
    }
  }
  const [running] = await rows<{ count: number }>(
    db,
    sql`select count(*)::int as count from control.attempt
      where ended_at is null and lease_until > clock_timestamp()`,
  );
  attempts.set(running?.count ?? 0);
  const [deliveries] = await rows<{ waiting: number; failed: number }>(
    db,
    sql`select (select count(*)::int from control.notice_delivery where state = 'WAITING') as waiting,
        (select count(*)::int from control.notice_delivery d
          join control.subscriber s on s.name = d.subscriber and s.ended_at is null
          where d.state = 'FAILED') as failed`,
  );
  notices.set({ state: 'waiting' }, deliveries?.waiting ?? 0);
  notices.set({ state: 'failed' }, deliveries?.failed ?? 0);
  return { type: registry.contentType, text: await registry.metrics() };
}
