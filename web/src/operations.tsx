/** The operations page: the routes, what they need, and the first render. */
import './look/tokens.css';
import './look/app.css';
import './look/operations.css';
import './look/bookings.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRootRoute, createRoute, createRouter, Outlet, RouterProvider, redirect } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiProblem } from './api/api-problem.ts';
import { bookingSearch } from './pages/bookings/booking-search.ts';
import { MailboxPage } from './pages/bookings/mailbox-page.tsx';
import { RacesPage } from './pages/bookings/races-page.tsx';
import { ReservationsPage } from './pages/bookings/reservations-page.tsx';
import { SandboxPage } from './pages/bookings/sandbox-page.tsx';
import { StoryPage } from './pages/bookings/story-page.tsx';
import { leaseSearch } from './pages/leases/lease-search.ts';
import { LeasesPage } from './pages/leases/leases-page.tsx';
import { RolloutPage } from './pages/rollout/rollout-page.tsx';
import { SignInPage } from './pages/sign-in/sign-in-page.tsx';
import { Shell } from './shell/shell.tsx';
import { startWords } from './words/start-words.ts';

const root = createRootRoute({ component: Outlet });
const signIn = createRoute({ getParentRoute: () => root, path: '/sign-in', component: SignInPage });
const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell });
const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/leases' });
  },
});
const leases = createRoute({
  getParentRoute: () => shell,
  path: '/leases',
  component: LeasesPage,
  validateSearch: leaseSearch,
});
const rollout = createRoute({ getParentRoute: () => shell, path: '/rollout', component: RolloutPage });
const reservations = createRoute({
  getParentRoute: () => shell,
  path: '/reservations',
  component: ReservationsPage,
  validateSearch: bookingSearch,
});
const story = createRoute({ getParentRoute: () => shell, path: '/reservations/$id', component: StoryPage });
const races = createRoute({ getParentRoute: () => shell, path: '/races', component: RacesPage });
const mailbox = createRoute({ getParentRoute: () => shell, path: '/mailbox', component: MailboxPage });
const sandbox = createRoute({ getParentRoute: () => shell, path: '/checkout', component: SandboxPage });
const bookings = [reservations, story, races, mailbox, sandbox] as const;

const router = createRouter({
  routeTree: root.addChildren([signIn, shell.addChildren([home, leases, rollout, ...bookings])]),
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
