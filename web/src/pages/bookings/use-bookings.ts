/** What the pages about bookings ask the server for. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type {
  AlertsReply,
  DaysReply,
  MailsReply,
  RacesReply,
  ReservationsReply,
  SandboxReply,
  StoryReply,
} from '../../../../src/server/index.ts';
import { callAllPages } from '../../api/call-all-pages.ts';
import { callApi } from '../../api/call-api.ts';
import { addDays } from '../../book/format-booking.ts';
import { useLiveInterval } from '../../shell/live-context.ts';

/** Seven days: the slots, and every reservation of them. `from` absent: today at the place. */
export function useWeek(from: string | undefined) {
  return useQuery({
    queryKey: ['reservations', 'week', from],
    placeholderData: keepPreviousData,
    refetchInterval: useLiveInterval(3_000),
    queryFn: async () => {
      const days = await callApi<DaysReply>('GET', `/api/v1/slots?days=7${from ? `&from=${from}` : ''}`);
      const first = days.days[0]?.date ?? '';
      const range = `from=${first}&to=${addDays(first, 6)}&limit=1000`;
      const pages = await callAllPages<ReservationsReply>(`/api/v1/reservations?${range}`);
      const reservations = pages.flatMap((page) => page.reservations);
      return { ...days, reservations, offsetMs: pages[0].nowMs - Date.now() };
    },
  });
}

export function useFoundReservations(text: string, problems: boolean) {
  return useInfiniteQuery({
    queryKey: ['reservations', 'found', text, problems],
    enabled: text !== '' || problems,
    placeholderData: keepPreviousData,
    refetchInterval: useLiveInterval(5_000),
    initialPageParam: '',
    queryFn: ({ pageParam }) => {
      const query = new URLSearchParams({
        limit: '50',
        ...(text !== '' && { q: text }),
        ...(problems && { problems: 'true' }),
        ...(pageParam !== '' && { cursor: pageParam }),
      });
      return callApi<ReservationsReply>('GET', `/api/v1/reservations?${query}`);
    },
    getNextPageParam: (last) => last.cursor,
  });
}

export function useStory(id: string) {
  return useQuery({
    queryKey: ['reservations', 'story', id],
    refetchInterval: useLiveInterval(3_000),
    queryFn: () => callApi<StoryReply>('GET', `/api/v1/reservations/${encodeURIComponent(id)}`),
  });
}

export function useAlerts(language: string, open: boolean) {
  return useQuery({
    queryKey: ['alerts', language, open],
    refetchInterval: useLiveInterval(5_000),
    queryFn: async () => {
      const pages = await callAllPages<AlertsReply>(`/api/v1/alerts?open=${open}&locale=${language}&limit=1000`);
      const alerts = pages.flatMap((page) => page.alerts);
      const isClosed = ({ closedAtMs }: (typeof alerts)[number]) => closedAtMs !== null;
      return [...alerts.filter((alert) => !isClosed(alert)), ...alerts.filter(isClosed)];
    },
  });
}

export function useRaces(scenario: string | undefined) {
  return useInfiniteQuery({
    queryKey: ['races', scenario],
    placeholderData: keepPreviousData,
    refetchInterval: useLiveInterval(5_000),
    initialPageParam: '',
    queryFn: ({ pageParam }) => {
      const query = new URLSearchParams({
        limit: '50',
        ...(scenario !== undefined && { scenario }),
        ...(pageParam !== '' && { cursor: pageParam }),
      });
      return callApi<RacesReply>('GET', `/api/v1/races?${query}`);
    },
    getNextPageParam: (last) => last.cursor,
  });
}

export function useMails() {
  return useInfiniteQuery({
    queryKey: ['mails'],
    refetchInterval: useLiveInterval(5_000),
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      callApi<MailsReply>('GET', `/api/v1/mails?limit=50${pageParam === '' ? '' : `&cursor=${pageParam}`}`),
    getNextPageParam: (last) => last.cursor,
  });
}

export function useSandbox() {
  return useQuery({
    queryKey: ['sandbox'],
    refetchInterval: useLiveInterval(3_000),
    queryFn: () => callApi<SandboxReply>('GET', '/api/v1/sandbox'),
  });
}
