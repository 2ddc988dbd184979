import Link from 'next/link';
import type { ReactNode } from 'react';
import { cx } from '@/components/ui/cx';
import { DigestChip } from '@/components/ui/digest-chip';
import { Icon } from '@/components/ui/icon';
import { Panel } from '@/components/ui/panel';
import { Tag } from '@/components/ui/tag';
import { VERDICT_LOOKS, type VerdictName } from './states';

export interface Gate {
  /** Key of the row, e.g. the check's name. */
  name: string;
  verdict: VerdictName;
  /** What is checked, in words. */
  label: ReactNode;
  /** The figure, text with its limit where it has one: "0", "312 of 312", "310 of 3,600 s". */
  figure: ReactNode;
  /** Where what is counted is listed. */
  href?: string;
  /** Digest of the check's evidence. */
  digest?: string;
  /** A word instead of the digest: "watching", "until 14:19:02". */
  tag?: string;
  /** One line under it. */
  note?: ReactNode;
}

/** One check, gate or condition: icon, name, figure (a link to what it counts), digest, note. */
export function GateRow({ gate, compact = false }: { gate: Gate; compact?: boolean }) {
  const look = VERDICT_LOOKS[gate.verdict];
  const evidence = compact && gate.digest ? `evidence ${gate.digest}` : undefined;
  return (
    <li className={cx('gate', compact && 'g3c')} data-verdict={gate.verdict}>
      <Icon
        name={look.icon}
        className={look.hue}
        label={look.label}
        spin={gate.verdict === 'running'}
      />
      <b>{gate.label}</b>
      <span className="n">
        {gate.href ? (
          <Link href={gate.href} title={evidence}>
            {gate.figure}
          </Link>
        ) : (
          <span title={evidence}>{gate.figure}</span>
        )}
      </span>
      {!compact && gate.digest && <DigestChip value={gate.digest} />}
      {!compact && !gate.digest && gate.tag && <Tag>{gate.tag}</Tag>}
      {gate.note && <small>{gate.note}</small>}
    </li>
  );
}

/**
 * A list of them. `compact` is the approval screen's: two columns, evidence on hover.
 */
export function GateList({
  gates,
  compact = false,
}: {
  gates: readonly Gate[];
  compact?: boolean;
}) {
  if (!compact) {
    return (
      <ul>
        {gates.map((gate) => (
          <GateRow key={gate.name} gate={gate} />
        ))}
      </ul>
    );
  }
  const half = Math.ceil(gates.length / 2);
  return (
    <div className="g2c">
      {[gates.slice(0, half), gates.slice(half)].map((column) => (
        <ul key={column[0]?.name ?? 'none'}>
          {column.map((gate) => (
            <GateRow key={gate.name} gate={gate} compact />
          ))}
        </ul>
      ))}
    </div>
  );
}

/** A panel of gates with its sum: "8 of 8 hold", green only if every one of them holds. */
export function Gates({
  title,
  gates,
  verb = 'hold',
  note,
  compact = false,
}: {
  title: string;
  gates: readonly Gate[];
  /** "hold" for gates and conditions, "passed" for checks. */
  verb?: string;
  note?: ReactNode;
  compact?: boolean;
}) {
  const counted = gates.filter((gate) => gate.verdict !== 'watching');
  const passed = counted.filter((gate) => gate.verdict === 'passed').length;
  const failed = counted.some((gate) => gate.verdict === 'failed');
  const hue = passed === counted.length ? 'ok' : failed ? 'bad' : 'wait';
  return (
    <Panel
      title={title}
      note={
        <>
          {counted.length > 0 && (
            <span className={cx('st', hue)}>
              {passed} of {counted.length} {verb}
            </span>
          )}
          {note && <span className="gate-note">{note}</span>}
        </>
      }
    >
      <GateList gates={gates} compact={compact} />
    </Panel>
  );
}
