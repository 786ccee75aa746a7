//! The format: what the derives accept, what they write, and how definitions are compared.

mod accepted_numbers;
mod arrows;
mod compile_pass;
mod definitions;
mod guide_examples;
mod held;
mod lock;
mod messages;
mod nested;
mod rust_source;
mod test_names;
mod wheels;
mod words;
