/** The operations page: the routes, what they need, and the first render. Each page is loaded when it is gone to. */
import './look/tokens.css';
import './look/app.css';
import './look/operations.css';
import './look/work.css';
import './look/bookings.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiProblem } from './api/api-problem.ts';
import { sessionQuery } from './api/use-session.ts';
import { auditSearch } from './pages/audit/audit-search.ts';
import { bookingSearch } from './pages/bookings/booking-search.ts';
import { leaseSearch } from './pages/leases/lease-search.ts';
import { runSearch } from './pages/runs/run-search.ts';
import { addIcons } from './parts/add-icons.ts';
import { Shell } from './shell/shell.tsx';
import { startWords } from './words/start-words.ts';

const root = createRootRoute({ component: Outlet });
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('./pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
});
const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell });
const overview = createRoute({
  getParentRoute: () => shell,
  path: '/',
  validateSearch: ({ minutes }: Record<string, unknown>): { minutes?: number } =>
    typeof minutes === 'number' && minutes >= 1 && minutes <= 1_440 ? { minutes } : {},
  component: lazyRouteComponent(() => import('./pages/overview/overview-page.tsx'), 'OverviewPage'),
});
const runs = createRoute({
  getParentRoute: () => shell,
  path: '/runs',
  validateSearch: runSearch,
  component: lazyRouteComponent(() => import('./pages/runs/runs-page.tsx'), 'RunsPage'),
});
const run = createRoute({
  getParentRoute: () => shell,
  path: '/runs/$id',
  component: lazyRouteComponent(() => import('./pages/run/run-page.tsx'), 'RunPage'),
});
const jobs = createRoute({
  getParentRoute: () => shell,
  path: '/jobs',
  validateSearch: ({ job }: Record<string, unknown>): { job?: string } =>
    typeof job === 'string' || typeof job === 'number' ? { job: String(job) } : {},
  component: lazyRouteComponent(() => import('./pages/jobs/jobs-page.tsx'), 'JobsPage'),
});
const workers = createRoute({
  getParentRoute: () => shell,
  path: '/workers',
  component: lazyRouteComponent(() => import('./pages/workers/workers-page.tsx'), 'WorkersPage'),
});
const leases = createRoute({
  getParentRoute: () => shell,
  path: '/leases',
  validateSearch: leaseSearch,
  component: lazyRouteComponent(() => import('./pages/leases/leases-page.tsx'), 'LeasesPage'),
});
const rollout = createRoute({
  getParentRoute: () => shell,
  path: '/rollout',
  component: lazyRouteComponent(() => import('./pages/rollout/rollout-page.tsx'), 'RolloutPage'),
});
const guarantees = createRoute({
  getParentRoute: () => shell,
  path: '/guarantees',
  component: lazyRouteComponent(() => import('./pages/guarantees/guarantees-page.tsx'), 'GuaranteesPage'),
});
const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages/settings/settings-page.tsx'), 'SettingsPage'),
});
const audit = createRoute({
  getParentRoute: () => shell,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('./pages/audit/audit-page.tsx'), 'AuditPage'),
});
const reservations = createRoute({
  getParentRoute: () => shell,
  path: '/reservations',
  validateSearch: bookingSearch,
  component: lazyRouteComponent(() => import('./pages/bookings/reservations-page.tsx'), 'ReservationsPage'),
});
const story = createRoute({
  getParentRoute: () => shell,
  path: '/reservations/$id',
  component: lazyRouteComponent(() => import('./pages/bookings/story-page.tsx'), 'StoryPage'),
});
const races = createRoute({
  getParentRoute: () => shell,
  path: '/races',
  component: lazyRouteComponent(() => import('./pages/bookings/races-page.tsx'), 'RacesPage'),
});
const mailbox = createRoute({
  getParentRoute: () => shell,
  path: '/mailbox',
  component: lazyRouteComponent(() => import('./pages/bookings/mailbox-page.tsx'), 'MailboxPage'),
});
const sandbox = createRoute({
  getParentRoute: () => shell,
  path: '/checkout',
  component: lazyRouteComponent(() => import('./pages/bookings/sandbox-page.tsx'), 'SandboxPage'),
});

const bookings = [reservations, story, races, mailbox, sandbox] as const;
const pages = [overview, runs, run, jobs, workers, leases, rollout, guarantees, settings, audit, ...bookings] as const;
const router = createRouter({
  routeTree: root.addChildren([signIn, shell.addChildren(pages)]),
  defaultPreload: 'intent',
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal stays one; only what may pass is asked again.
      retry: (failures, error) => failures < 3 && !(error instanceof ApiProblem && error.status < 500),
    },
  },
});

// Both are under way while the words are made ready and the frame is drawn. At the door nobody is known yet.
if (location.pathname !== '/sign-in') void queries.prefetchQuery(sessionQuery);
void router.load();
addIcons();
await startWords();
const place = document.getElementById('root');
if (place) {
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
