//! The command line, as clap reads it. The texts here are the help that users see.

use bir_core::doc::Format;
use bir_core::enums::bir::{ArchLevel, Dtype, MemoryType};
use bir_core::graph::{DEFAULT_MAX_NODES, MAX_NODES_LIMIT};
use bir_core::neff::features::FEATURES;
use bir_core::neff::walk::Limits;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::{Path, PathBuf};

/// Look into, convert and pack BIR documents (*.bir.json, *.cbor), kernels (*.klr) and packages (*.neff).
#[derive(Debug, Parser)]
#[command(
    name = "bir",
    version,
    after_help = "Exit codes: 0 good, 1 bad input, 2 wrong usage; of diff: 0 equal, 1 different,\n\
                  2 wrong usage, 3 bad input.\n\n\
                  Example: bir info model.bir.json"
)]
pub struct Cli {
    /// Print one JSON object instead of text; errors too
    #[arg(long, global = true, display_order = 100, alias = "json-output")]
    pub json: bool,
    /// Hide warnings and progress
    #[arg(short, long, global = true, display_order = 101)]
    pub quiet: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show what is in a document or package
    Info(Info),
    /// Read a document and write it again, in the standard form
    Convert(Convert),
    /// Make a document of a kernel, or lower the kernels that a document carries
    Compile(Compile),
    /// Print a document in readable form, one line per instruction
    Print(Print),
    /// Show what changed between two documents or two packages
    Diff(Diff),
    /// Remove instructions that compute what an earlier one computed
    Cse(Cse),
    /// Draw what waits for what, or what lies where in memory
    Graph(Graph),
    /// Make constants of the parameters that a model directory has weights for
    InlineWeights(InlineWeights),
    /// Make a package from a document and its constant files, or from a folder
    Pack(Pack),
    /// Make a package from a tar of its files
    Create(Create),
    /// Make packages that load faster: weights in one file, no debug data, no compression
    Optimize(Optimize),
    /// List the members of a package and its file variables
    List(List),
    /// Extract the members of a package
    Unpack(Unpack),
    /// Check a package: its hash, and that everything in it fits together
    Check(Check),
    /// Show which constant files are equal and what merging them saves
    Dedup(Dedup),
    /// Show enums: all, one, or one member
    Enum(Enum),
    /// Translate a klr enum member to bir, or back
    Translate(Translate),
    /// Show the fields and operands of an opcode
    Opcode(Opcode),
    /// Look into kernels of front ends (*.klr)
    #[command(subcommand)]
    Klr(Klr),
}

impl Command {
    /// The word on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Command::Info(_) => "info",
            Command::Convert(_) => "convert",
            Command::Compile(_) => "compile",
            Command::Print(_) => "print",
            Command::Diff(_) => "diff",
            Command::Cse(_) => "cse",
            Command::Graph(_) => "graph",
            Command::InlineWeights(_) => "inline-weights",
            Command::Pack(_) => "pack",
            Command::Create(_) => "create",
            Command::Optimize(_) => "optimize",
            Command::List(_) => "list",
            Command::Unpack(_) => "unpack",
            Command::Check(_) => "check",
            Command::Dedup(_) => "dedup",
            Command::Enum(_) => "enum",
            Command::Translate(_) => "translate",
            Command::Opcode(_) => "opcode",
            Command::Klr(_) => "klr",
        }
    }
}

/// What a package may ask of its reader.
#[derive(Clone, Copy, Debug, Args)]
pub struct PackageLimits {
    /// Most bytes to unpack
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().max_unpacked_bytes)]
    pub max_unpacked_bytes: u64,
    /// Most times its size to unpack, beyond 1 GiB
    #[arg(long, value_name = "N", default_value_t = Limits::default().max_ratio)]
    pub max_ratio: u64,
    /// Most members
    #[arg(long, value_name = "N", default_value_t = Limits::default().max_members)]
    pub max_members: u64,
}

impl PackageLimits {
    /// As the library takes them.
    pub fn limits(&self) -> Limits {
        let &PackageLimits { max_unpacked_bytes, max_ratio, max_members } = self;
        Limits { max_unpacked_bytes, max_ratio, max_members, ..Limits::default() }
    }
}

/// `bir info`.
#[derive(Debug, Args)]
#[command(after_help = "Example: bir info model.bir.json\n         bir info -w model.neff")]
pub struct Info {
    /// A document or package; the content decides which. `-` is standard input
    pub file: PathBuf,
    /// List the weights of a package: file variables and their files
    #[arg(short, long, alias = "show-weights")]
    pub weights: bool,
    /// List the scratch memory of a package, where tensors spill to
    #[arg(short, long, alias = "show-spills")]
    pub spills: bool,
    /// Read all of a compressed package, even behind its descriptors
    #[arg(long)]
    pub all: bool,
    /// Do not compare a package's hash with its payload
    #[arg(long)]
    pub ignore_hash: bool,
    /// Make every warning an error
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: PackageLimits,
}

/// `bir check`.
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 good, 1 errors (with --strict warnings too), 2 wrong usage.\n\n\
                        Example: bir check model.neff")]
pub struct Check {
    /// The package; `-` is standard input
    pub neff: PathBuf,
    /// Make every warning an error
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: PackageLimits,
}

/// `bir convert`.
#[derive(Debug, Args)]
#[command(after_help = "Example: bir convert model.bir.json -o model.cbor")]
pub struct Convert {
    /// The document to read; `-` is standard input
    pub input: PathBuf,
    /// The file to write; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// The form to write [default: cbor if FILE ends in .cbor, else json]
    #[arg(long, value_name = "FORM")]
    pub to: Option<Form>,
    /// The same as --to compact
    #[arg(long, conflicts_with = "to")]
    pub compact: bool,
    /// Write every key, also those at their default (older readers want that)
    #[arg(long)]
    pub explicit: bool,
    /// Make every warning an error
    #[arg(long)]
    pub strict: bool,
}

/// `bir compile`.
#[derive(Debug, Args)]
#[command(after_help = "Example: bir compile kernel.klr -o kernel.bir.json")]
pub struct Compile {
    /// A kernel (KLR, or the JSON form of 2025), or a document that carries kernels; `-` is standard input
    pub kernel: PathBuf,
    /// The document to write; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// The neuron core: its number chooses the body of the kernel
    #[arg(long, value_name = "N")]
    pub core: Option<u32>,
    /// The hardware generation of the new document
    #[arg(long, value_name = "ARCH", value_parser = crate::commands::compile::arch, default_value = "gen3")]
    pub arch: ArchLevel,
    /// Make every warning an error, and take the strict reading where there is a lenient one
    #[arg(long)]
    pub strict: bool,
    /// Write the document even if statements have errors, without those statements; the exit code stays 1
    #[arg(long)]
    pub keep_going: bool,
    /// Let copyPredicated take its reversePred, which 2.24 does not read
    #[arg(long)]
    pub reverse_pred: bool,
    /// Accept a byte for each proof field, as the unmodified C++ writer leaves them
    #[arg(long)]
    pub proof_bytes: bool,
    /// Show at most N errors and warnings; the rest is counted
    #[arg(long, value_name = "N", default_value = "1000")]
    pub limit: usize,
    /// The form to write [default: cbor if FILE ends in .cbor, else json]
    #[arg(long, value_name = "FORM")]
    pub to: Option<Form>,
    /// The same as --to compact
    #[arg(long, conflicts_with = "to")]
    pub compact: bool,
    /// Write every key, also those at their default (older readers want that)
    #[arg(long)]
    pub explicit: bool,
}

/// `bir print`.
#[derive(Debug, Args)]
#[command(after_help = "Example: bir print model.bir.json --function main --block entry\n         \
                        bir print model.bir.json --instruction '#16'")]
pub struct Print {
    /// The document to print; `-` is standard input
    pub input: PathBuf,
    /// Only this function; may be repeated
    #[arg(long, value_name = "NAME")]
    pub function: Vec<String>,
    /// Only this DMA queue; may be repeated
    #[arg(long, value_name = "NAME")]
    pub queue: Vec<String>,
    /// Only blocks of this name; may be repeated
    #[arg(long, value_name = "NAME")]
    pub block: Vec<String>,
    /// Only this instruction: a name, or an id as 16 or #16; may be repeated
    #[arg(long, value_name = "NAME|#ID")]
    pub instruction: Vec<String>,
    /// Show everything: what is at its default too, schedule, debug texts, origin
    #[arg(long)]
    pub all: bool,
    /// Leave the ids out, so that two listings differ less
    #[arg(long)]
    pub no_ids: bool,
    /// Make every warning an error
    #[arg(long)]
    pub strict: bool,
}

/// `bir diff`.
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 equal, 1 different, 2 wrong usage, 3 bad input.\n\n\
                        Example: bir diff before.bir.json after.bir.json\n         bir diff before.neff after.neff")]
pub struct Diff {
    /// The document or package from before; `-` is standard input
    pub a: PathBuf,
    /// The document or package from after; `-` is standard input
    pub b: PathBuf,
    /// Show also what cannot matter in a package
    #[arg(long)]
    pub all: bool,
    /// Show at most N changes; the rest is counted
    #[arg(long, value_name = "N", default_value = "1000")]
    pub limit: usize,
    /// Make every warning an error
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: PackageLimits,
}

/// A form of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// JSON text, indented by two spaces
    Json,
    /// JSON text in one line without spaces
    Compact,
    /// CBOR, the same in fewer bytes
    Cbor,
}

impl Form {
    /// The form that the name of an output asks for.
    pub fn of_name(output: &Path) -> Form {
        if output.as_os_str().as_encoded_bytes().ends_with(b".cbor") { Form::Cbor } else { Form::Json }
    }

    /// The word on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Form::Json => "json",
            Form::Compact => "compact",
            Form::Cbor => "cbor",
        }
    }

    /// The format that the library writes for it.
    pub fn format(self) -> Format {
        match self {
            Form::Json | Form::Compact => Format::Json,
            Form::Cbor => Format::Cbor,
        }
    }
}

/// `bir cse`.
#[derive(Debug, Args)]
#[command(after_help = "Example: bir cse model.bir.json -o smaller.bir.json")]
pub struct Cse {
    /// The document to read; `-` is standard input
    pub input: PathBuf,
    /// The file to write, CBOR if it ends in .cbor; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Make every warning an error
    #[arg(long)]
    pub strict: bool,
}

/// `bir graph`.
#[derive(Debug, Args)]
#[command(after_help = "Examples: bir graph model.bir.json -o model.svg\n          \
                        bir graph model.bir.json --memory --function sg0000 -o memory.svg\n          \
                        bir graph model.bir.json --format dot | dot -Tpdf -o model.pdf")]
pub struct Graph {
    /// The document to read; `-` is standard input
    pub file: PathBuf,
    /// The file to write; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,
    /// Draw where each location lies in SB and PSUM instead
    #[arg(long)]
    pub memory: bool,
    /// The form [default: by the ending of the output's name, else svg]
    #[arg(long, value_enum)]
    pub format: Option<Picture>,
    /// Only the function of that name
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// Only the block of that name, with nested ones
    #[arg(long, value_name = "NAME")]
    pub block: Option<String>,
    /// Nodes, or drawn locations; blocks that exceed it are collapsed
    #[arg(long, value_name = "COUNT", default_value_t = DEFAULT_MAX_NODES, value_parser = nodes)]
    pub max_nodes: usize,
    /// Make every warning an error
    #[arg(long)]
    pub strict: bool,
}

/// The forms of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Picture {
    /// Scalable Vector Graphics
    Svg,
    /// Graphviz
    Dot,
}

/// `bir inline-weights`.
#[derive(Debug, Args)]
#[command(after_help = "Example: bir inline-weights model model.bir.json -o whole.bir.json\n         \
                        bir pack whole.bir.json -o model.neff --const-dir model")]
pub struct InlineWeights {
    /// The folder with metadata.json, the model and the weights (*.npy)
    pub model_dir: PathBuf,
    /// The document to read; `-` is standard input
    pub module: PathBuf,
    /// The file to write, CBOR if it ends in .cbor; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Make every warning an error
    #[arg(long)]
    pub strict: bool,
}

/// `bir pack`.
#[derive(Debug, Args)]
#[command(after_help = "MODULE is a document, `-` standard input. DIR holds one document, or the files of a package\n\
                        as `bir unpack` writes them; weights that a metadata.json in it names are inlined.\n\n\
                        Example: bir pack model.bir.json -o model.neff --const-dir weights")]
pub struct Pack {
    /// A document, or a folder with one or with the files of a package
    #[arg(value_name = "MODULE|DIR")]
    pub module: PathBuf,
    /// The package to write; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Model name in the package header [default: the one in info.json of DIR, else module]
    #[arg(long)]
    pub name: Option<String>,
    /// Folder of the constant files [default: the folder of MODULE]
    #[arg(long, value_name = "DIR")]
    pub const_dir: Option<PathBuf>,
    /// Store equal constant files once each instead of merging them
    #[arg(long)]
    pub no_dedup: bool,
    /// Feature bits of the header, decimal or 0x...
    #[arg(long, value_name = "BITS", value_parser = bits, default_value = "0")]
    pub feature_bits: u64,
    /// `tool_version` of info.json
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub tool_version: String,
    /// Add FILE to the package as NAME; may be repeated
    #[arg(long, value_name = "NAME=FILE", value_parser = member)]
    pub member: Vec<(String, PathBuf)>,
    /// Make every warning an error
    #[arg(long)]
    pub strict: bool,
    /// Store the archive uncompressed: --compression none
    #[arg(long, conflicts_with = "compression")]
    pub no_compress: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub packing: Packing,
}

/// How a package is written.
#[derive(Debug, Args)]
pub struct Packing {
    /// How the archive is stored [default: exact; of optimize: none]
    #[arg(long, value_name = "KIND")]
    pub compression: Option<Compression>,
    /// Threads; they change no byte [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Fill the payload with zeros to whole records of 10240 bytes
    #[arg(long)]
    pub pad: bool,
    /// The uuid, 32 hexadecimal digits [default: from the payload's digest]
    #[arg(long, value_name = "HEX", value_parser = uuid)]
    pub uuid: Option<[u8; 16]>,
}

/// How the archive of a package is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Compression {
    /// Gzip with the bytes of zlib at level 1, as the compiler writes it
    Exact,
    /// Gzip in independent pieces, compressed on all cores
    Parallel,
    /// Not compressed: loads fast
    None,
}

/// `bir create`.
#[derive(Debug, Args)]
#[command(after_help = "Features: bin-weights, collectives-offset, custom-ops, coalesced-cc, the names of\n\
                        `neff_features`, or bits as 0x...; what the descriptors name is added.\n\n\
                        Example: bir create -i neff.tgz -o model.neff")]
pub struct Create {
    /// A tar of the package's files, compressed with gzip or not
    #[arg(short, long, value_name = "FILE")]
    pub input: PathBuf,
    /// The package to write; .neff is added if it is missing
    #[arg(short, long, value_name = "FILE", default_value = "NN")]
    pub output: PathBuf,
    /// Model name [default: the one in info.json, else module]
    #[arg(short, long)]
    pub name: Option<String>,
    /// Version of the tool that builds, for the header
    #[arg(short = 'v', long, value_name = "TEXT", default_value = "")]
    pub tool_version: String,
    /// NEFF version [default: 1.0, or 2.0 with features]
    #[arg(short = 'k', long, value_name = "MAJOR.MINOR", value_parser = version)]
    pub neff_version: Option<(u64, u64)>,
    /// Package version: 2, or 1 with a SHA-256 as hash
    #[arg(short = 'r', long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u64).range(1..=2))]
    pub header_version: u64,
    /// Cores that the program needs [default: as the descriptors say, else 1]
    #[arg(short = 't', long, value_name = "N")]
    pub num_nc: Option<u32>,
    /// A feature the loader must have; may be repeated
    #[arg(short = 'e', long, value_name = "NAME|BITS", value_parser = feature)]
    pub enable_feature: Vec<u64>,
    /// Store FILE as it is, instead of its members as the compiler would
    #[arg(long, conflicts_with_all = ["compression", "pad"])]
    pub as_is: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub packing: Packing,
}

/// `bir optimize`.
#[derive(Debug, Args)]
#[command(after_help = "Example: bir optimize model.neff")]
pub struct Optimize {
    /// Packages, each replaced by a version that loads faster
    #[arg(required = true, value_name = "NEFF")]
    pub neff: Vec<PathBuf>,
    /// Write the new package here and leave the old one
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Keep debug data, and white space in JSON
    #[arg(long)]
    pub keep_debug: bool,
    /// Leave constants in files of their own
    #[arg(long)]
    pub no_merge: bool,
    /// Do not compare the header's hash with the payload
    #[arg(long)]
    pub ignore_hash: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub packing: Packing,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: PackageLimits,
}

/// `bir list`.
#[derive(Debug, Args)]
#[command(after_help = "Example: bir list model.neff")]
pub struct List {
    /// The package; `-` is standard input
    pub neff: PathBuf,
    /// Do not compare the header's hash with the payload
    #[arg(long)]
    pub ignore_hash: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: PackageLimits,
}

/// `bir unpack`.
#[derive(Debug, Args)]
#[command(after_help = "Example: bir unpack model.neff -d model sg00/def.json")]
pub struct Unpack {
    /// The package; `-` is standard input
    pub neff: PathBuf,
    /// The folder to write into, made if missing [default: as NEFF]
    #[arg(short, long, value_name = "DIR", alias = "output", short_alias = 'o')]
    pub dir: Option<PathBuf>,
    /// Only these members [default: all]
    pub member: Vec<String>,
    /// Overwrite files that exist
    #[arg(long)]
    pub force: bool,
    /// Write the payload too, as neff.tgz: `bir create` takes it
    #[arg(long)]
    pub payload: bool,
    /// Do not compare the header's hash with the payload
    #[arg(long)]
    pub ignore_hash: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: PackageLimits,
}

/// `bir dedup`.
#[derive(Debug, Args)]
#[command(after_help = "Example: bir dedup weights")]
pub struct Dedup {
    /// Files and folders; or one document (its constant files are compared), or one package
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Element type of all files [default: that of an NPY header, else uint8]
    #[arg(long, value_name = "NAME", value_parser = crate::commands::dedup::dtype)]
    pub dtype: Option<Dtype>,
    /// Memory type of all files [default: DRAM]
    #[arg(long, value_name = "NAME", value_parser = crate::commands::dedup::memory_type)]
    pub memory_type: Option<MemoryType>,
    /// Hash every file and show its key; else only those with an equal
    #[arg(long)]
    pub keys: bool,
    /// Threads [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Folder of the constant files of a document [default: its own folder]
    #[arg(long, value_name = "DIR")]
    pub const_dir: Option<PathBuf>,
    /// Make every warning an error
    #[arg(long)]
    pub strict: bool,
}

/// `bir enum`.
#[derive(Debug, Args)]
#[command(after_help = "Example: bir enum Dtype bfloat16")]
pub struct Enum {
    /// The enum, like Dtype or klr.Dtype [default: list all enums]
    pub name: Option<String>,
    /// A member of it, by name or number
    #[arg(allow_negative_numbers = true)]
    pub member: Option<String>,
}

/// `bir translate`.
#[derive(Debug, Args)]
#[command(after_help = "Example: bir translate dtype float8_e4m3\n         bir translate --inverse alu_op mult")]
pub struct Translate {
    /// dtype, engine, alu_op, activation, accum_cmd, or a klr enum's name [default: list all]
    #[arg(value_name = "ENUM")]
    pub relation: Option<String>,
    /// A klr member (with --inverse: a bir member), by name or number [default: all]
    #[arg(allow_negative_numbers = true)]
    pub value: Option<String>,
    /// Find the klr members that become the bir member VALUE
    #[arg(long, requires = "value")]
    pub inverse: bool,
}

/// `bir opcode`.
#[derive(Debug, Args)]
#[command(after_help = "Example: bir opcode DMACopy")]
pub struct Opcode {
    /// The opcode, by name or number
    #[arg(allow_negative_numbers = true)]
    pub opcode: String,
}

/// `bir klr`.
#[derive(Debug, Subcommand)]
pub enum Klr {
    /// List a kernel, or show it as JSON with --json
    Show(KlrShow),
}

/// `bir klr show`.
#[derive(Debug, Args)]
#[command(after_help = "Example: bir klr show kernel.klr\n         bir klr show kernel.klr --json > kernel.json")]
pub struct KlrShow {
    /// The kernel; `-` is standard input
    pub file: PathBuf,
    /// Accept a byte for each proof field, as the unmodified C++ writer leaves them
    #[arg(long)]
    pub proof_bytes: bool,
    /// Make every warning an error
    #[arg(long)]
    pub strict: bool,
}

/// A number, decimal or hexadecimal.
pub fn number(text: &str) -> Option<i64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

fn bits(text: &str) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    parsed.map_err(|e| e.to_string())
}

fn version(text: &str) -> Result<(u64, u64), String> {
    let parts = text.split_once('.').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    parts.ok_or_else(|| String::from("expected MAJOR.MINOR"))
}

fn uuid(text: &str) -> Result<[u8; 16], String> {
    let digits: Vec<u8> = text.bytes().filter(|b| *b != b'-').collect();
    let mut uuid = [0; 16];
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    for (byte, digits) in uuid.iter_mut().zip(digits.chunks(2)) {
        *byte = pair(digits).ok_or_else(|| String::from("expected hexadecimal digits"))?;
    }
    if digits.len() == 32 { Ok(uuid) } else { Err(String::from("expected 32 hexadecimal digits")) }
}

fn feature(text: &str) -> Result<u64, String> {
    if let Some(feature) = FEATURES.iter().find(|f| f.option == Some(text) || f.def_name == Some(text)) {
        return Ok(feature.bit);
    }
    bits(text).map_err(|_| {
        let known: Vec<&str> = FEATURES.iter().filter_map(|f| f.option.or(f.def_name)).collect();
        format!("expected bits, or one of {}", known.join(", "))
    })
}

fn nodes(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count) if (1..=MAX_NODES_LIMIT).contains(&count) => Ok(count),
        _ => Err(format!("expected 1 to {MAX_NODES_LIMIT}")),
    }
}

fn member(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok((name.to_owned(), PathBuf::from(file))),
        _ => Err(String::from("expected NAME=FILE")),
    }
}
