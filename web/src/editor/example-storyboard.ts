import type { Storyboard } from './storyboard.ts';

/** For somebody who would rather change something than begin with nothing. */
export function exampleStoryboard(language: string): Storyboard {
  return language === 'ja' ? japanese : english;
}

const english: Storyboard = {
  title: 'River of Lights',
  scenes: [
    {
      id: 'dusk',
      title: 'Dusk',
      seconds: 6,
      sound: 'crickets',
      text: 'The hills turn blue. The moon is early.',
      picture: 'dusk',
    },
    {
      id: 'lanterns',
      title: 'Lanterns',
      seconds: 14,
      sound: 'water, far drums',
      text: [
        'The sun goes. People gather on the bank, and one light is lit, then another.',
        'The lanterns drift with the wind, slowly. The water shows each of them twice. A child waves.',
        'When the last one passes under the bridge, the sound stops. For three seconds nothing happens.',
      ].join('\n\n'),
      picture: 'lanterns',
    },
    {
      id: 'bridge',
      title: 'The bridge',
      seconds: 10,
      sound: 'steps on wood',
      text: 'From the bridge the river is a street of lights.',
      picture: 'bridge',
    },
    {
      id: 'wall',
      title: 'The wall',
      seconds: 8,
      sound: 'silence, then voices',
      text: 'The picture fills the wall. Nobody speaks.',
      picture: 'wall',
    },
  ],
};

const japanese: Storyboard = {
  title: '光の川',
  scenes: [
    {
      id: 'dusk',
      title: '夕暮れ',
      seconds: 6,
      sound: '虫の声',
      text: '山が青くなる。月が早い。',
      picture: 'dusk',
    },
    {
      id: 'lanterns',
      title: '灯籠流し',
      seconds: 14,
      sound: '水音、遠い太鼓',
      text: [
        '日が落ちる。川べりに人が集まり、ひとつ、またひとつと灯がともる。',
        '灯籠は風に押されてゆっくり進む。水面がそれを二つに映す。子どもが手をふる。',
        '最後のひとつが橋の下をくぐると、音がやむ。三秒、なにも起こらない。',
      ].join('\n\n'),
      picture: 'lanterns',
    },
    {
      id: 'bridge',
      title: '橋',
      seconds: 10,
      sound: '木の上の足音',
      text: '橋から見ると、川は光の通りになる。',
      picture: 'bridge',
    },
    {
      id: 'wall',
      title: '壁',
      seconds: 8,
      sound: '静けさ、やがて声',
      text: '映像が壁いっぱいに広がる。だれも話さない。',
      picture: 'wall',
    },
  ],
};
