//! What a site says: records with a name, a figure, a state, a sentence and a link; and what can become of them.

use super::super::rng::Rng;

pub(super) const CHANGES: [&str; 14] = [
    "new first",
    "new last",
    "new between",
    "one gone",
    "figure",
    "last digit",
    "state",
    "word in a sentence",
    "sentence rewritten",
    "sentence longer",
    "name",
    "link",
    "notice",
    "all figures",
];

const NAMES: [&str; 24] = [
    "Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Ginkgo", "Hazel", "Ironwood", "Juniper", "Katsura", "Larch",
    "Maple", "Nutmeg", "Oak", "Pine", "Quince", "Rowan", "Spruce", "Teak", "Ulmo", "Viburnum", "Willow", "Yew",
];
const SUBJECTS: [&str; 10] = [
    "The committee",
    "A reader",
    "Our workshop",
    "The importer",
    "Nobody",
    "The new owner",
    "An inspector",
    "The supplier",
    "Half of the staff",
    "The ministry",
];
const VERBS: [&str; 10] = [
    "approves of",
    "asks about",
    "will replace",
    "has measured",
    "complains about",
    "recommends",
    "no longer sells",
    "insures",
    "repaired",
    "is waiting for",
];
const OBJECTS: [&str; 10] = [
    "the northern gate",
    "two wooden crates",
    "the spring catalogue",
    "a used lathe",
    "every second shelf",
    "the lower deck",
    "an unpaid bill",
    "the blue drawings",
    "this kind of varnish",
    "the old sawmill",
];
const ENDS: [&str; 8] = [
    "since last winter",
    "for a small fee",
    "without any notice",
    "until further orders",
    "in three languages",
    "near the canal",
    "as agreed in writing",
    "for the first time",
];
const STATES: [&str; 4] = ["in stock", "on order", "sold out", "reserved"];

pub(super) fn sentence(rng: &mut Rng) -> String {
    format!("{} {} {} {}.", rng.pick(&SUBJECTS), rng.pick(&VERBS), rng.pick(&OBJECTS), rng.pick(&ENDS))
}

#[derive(Clone)]
pub(super) struct Record {
    pub(super) number: usize,
    pub(super) name: String,
    pub(super) figure: u64,
    pub(super) state: String,
    pub(super) text: String,
    pub(super) link: String,
}

impl Record {
    fn new(number: usize, rng: &mut Rng) -> Self {
        let name = format!("{} {}", rng.pick(&NAMES), ["board", "veneer", "beam", "panel"][rng.below(4)]);
        let link = format!("/{}-{number}", name.to_lowercase().replace(' ', "-"));
        let state = STATES[rng.below(4)].to_owned();
        let text = format!("{} {}", sentence(rng), sentence(rng));
        Self { number, name, figure: 1_000 + rng.next() % 90_000, state, text, link }
    }

    pub(super) fn money(&self) -> String {
        format!("{}.{:02}", self.figure / 100, self.figure % 100)
    }
}

pub(super) struct Records {
    pub(super) title: String,
    pub(super) notice: String,
    pub(super) all: Vec<Record>,
    rng: Rng,
}

impl Records {
    pub(super) fn new(rng: &mut Rng) -> Self {
        let all = (0..6 + rng.below(10)).map(|number| Record::new(100 + number, rng)).collect();
        let notice = format!("{} {}", sentence(rng), sentence(rng));
        Self { title: format!("{} & Sons Timber", rng.pick(&NAMES)), notice, all, rng: Rng(rng.next()) }
    }

    /// What has to be told.
    pub(super) fn change(&mut self, kind: usize) -> Vec<String> {
        let at = self.rng.below(self.all.len());
        let mut rng = self.rng.clone();
        match CHANGES[kind] {
            "new first" => self.insert(0),
            "new last" => self.insert(self.all.len()),
            "new between" => self.insert(at),
            "one gone" => vec![self.all.remove(at).text],
            "figure" => {
                self.all[at].figure += 1_234 + rng.next() % 5_000;
                vec![self.all[at].money()]
            }
            "last digit" => {
                let figure = self.all[at].figure;
                self.all[at].figure = figure - figure % 10 + (figure + 1) % 10;
                vec![self.all[at].money()]
            }
            "state" => {
                let others: Vec<&str> = STATES.into_iter().filter(|state| *state != self.all[at].state).collect();
                self.all[at].state = rng.pick(&others).to_owned();
                vec![self.all[at].state.clone()]
            }
            "word in a sentence" => {
                let mut words: Vec<String> = self.all[at].text.split(' ').map(ToOwned::to_owned).collect();
                let middle = words.len() / 2;
                words[middle] = "marzipan".to_owned();
                self.all[at].text = words.join(" ");
                vec!["marzipan".to_owned()]
            }
            "sentence rewritten" => {
                self.all[at].text = format!("Meanwhile all of it burnt down: {}", sentence(&mut rng));
                vec!["Meanwhile all of it burnt down:".to_owned()]
            }
            "sentence longer" => {
                self.all[at].text.push_str(" It is said to be haunted.");
                vec!["It is said to be haunted.".to_owned()]
            }
            "name" => {
                self.all[at].name = format!("{} marquetry", rng.pick(&NAMES));
                vec!["marquetry".to_owned()]
            }
            "link" => {
                self.all[at].link = "/moved/elsewhere".to_owned();
                vec!["/moved/elsewhere".to_owned()]
            }
            "notice" => {
                self.notice = format!("Closed on the first Monday. {}", sentence(&mut rng));
                vec!["Closed on the first Monday.".to_owned()]
            }
            _ => {
                for record in &mut self.all {
                    record.figure += 111;
                }
                self.all.iter().map(Record::money).collect()
            }
        }
    }

    fn insert(&mut self, at: usize) -> Vec<String> {
        let record = Record::new(900, &mut self.rng);
        let told = vec![record.text.clone()];
        self.all.insert(at, record);
        told
    }
}
