'use client';

import { useMemo } from 'react';
import { type EdgeTexts, type PackedEdges, unpackEdges } from '@/lib/domain/edge-runs';

/**
 * The edges of a plan written out. Each answer of the server brings them anew, as another object;
 * fifty thousand are written out again, and the calendar laid out again, only where they differ.
 */
export function useEdges(packed: PackedEdges): EdgeTexts {
  const text = JSON.stringify(packed);
  return useMemo(() => unpackEdges(JSON.parse(text) as PackedEdges), [text]);
}
